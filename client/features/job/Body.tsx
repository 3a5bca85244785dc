/** What went into the job or came out of it, without what this browser does not show: copying and searching have that neither. */
import { Link } from 'wouter'
import type { Root } from '../../../shared/redaction/redaction.ts'
import { JsonView } from '../../ui/JsonView.tsx'
import { useRedacted } from '../settings/redaction.ts'

export function Body({ value, root, title }: { value: unknown; root: Root; title: string }) {
  const shown = useRedacted(value, root)
  return (
    <>
      <JsonView value={shown} name={root} title={title} />
      {shown !== value && (
        <p className="mt-2 text-muted text-xs">
          This browser hides some of it, in what is copied too:{' '}
          <Link href="/settings?tab=redaction" className="underline underline-offset-2 hover:text-ink">
            its rules
          </Link>
        </p>
      )}
    </>
  )
}
