/** Payload or result with redacted values masked, also for copy and search. */
import { Link } from 'wouter'
import type { Root } from '../../../shared/redaction/redaction.ts'
import { useRedacted } from '../../lib/redaction.ts'
import { JsonView } from './JsonView.tsx'

export function RedactedJson({ value, root, title }: { value: unknown; root: Root; title: string }) {
  const shown = useRedacted(value, root)
  return (
    <>
      <JsonView value={shown} name={root} title={title} />
      {shown !== value && (
        <p className="mt-2 text-muted text-xs">
          Some values are masked by this browser’s{' '}
          <Link href="/settings?tab=redaction" className="underline underline-offset-2 hover:text-ink">
            redaction rules
          </Link>
          , also when copied.
        </p>
      )}
    </>
  )
}
