/** One audit entry: time, actor, action, target and details. */
import { Link } from 'wouter'
import { Age } from '../../ui/Age.tsx'
import { formatAction, formatDetails, isOfJob } from './format-audit.ts'
import type { AuditEntry } from './use-audit.ts'

export interface AuditLineProps {
  readonly entry: AuditEntry
  readonly onTarget: (target: string) => void
}

const TARGET = 'max-w-full truncate rounded text-left leading-6 hover:underline'

export function AuditLine({ entry, onTarget }: AuditLineProps) {
  const { at, actor, action, target, details } = entry
  const detailTexts = formatDetails(details)
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] items-baseline gap-x-2 gap-y-0.5 py-1.5 md:grid-cols-[3rem_9rem_13rem_minmax(0,1fr)] md:gap-x-4">
      <span className="order-3 text-muted md:order-none md:text-right">
        <Age isShort at={at} />
      </span>
      <span className="order-1 max-w-36 truncate md:order-none" title={actor}>
        {actor}
      </span>
      <span className="order-2 truncate font-medium md:order-none" title={action}>
        {formatAction(entry)}
      </span>
      <span className="order-4 col-span-3 min-w-0 md:order-none md:col-span-1">
        {target !== null && (
          <span className="flex min-w-0 items-baseline gap-3">
            {isOfJob(entry) && (
              <Link href={`/jobs/${target}`} title={target} className={`${TARGET} font-mono text-xs/6 underline`}>
                {target}
              </Link>
            )}
            <button type="button" title={`Show only ${target}`} onClick={() => onTarget(target)} className={TARGET}>
              {isOfJob(entry) ? <span className="whitespace-nowrap text-muted text-xs">filter</span> : target}
            </button>
          </span>
        )}
        {detailTexts.length > 0 && (
          <span className="flex flex-wrap gap-x-3 text-muted text-xs/5">
            {detailTexts.map((text) => (
              <span key={text} title={text} className="line-clamp-2 min-w-0 wrap-anywhere">
                {text}
              </span>
            ))}
          </span>
        )}
      </span>
    </li>
  )
}
