/** Commands that enqueue the same job from a terminal. */
import type { EnqueueInput } from '../../../shared/contracts/produce.ts'
import { REDACTED } from '../../../shared/redaction/redaction.ts'
import { useCurlToken } from '../../session/curl-token.ts'
import { CopyBlock } from '../../ui/CopyBlock.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { curlLine, isLong, queuectlLine } from './commands.ts'

export interface PreviewProps {
  readonly input: EnqueueInput
  readonly isReady: boolean
  readonly hasMasked: boolean
}

export function Preview({ input, isReady, hasMasked }: PreviewProps) {
  const token = useCurlToken()
  return (
    <section aria-label="Command line" className="rounded-lg bg-surface px-4 py-4 ring-1 ring-line sm:px-5">
      <h2 className="font-semibold">Command line</h2>
      {isReady ? (
        <div className="grid gap-2">
          {hasMasked && <p className="mt-1 text-muted">Replace {REDACTED} with the actual values.</p>}
          {isLong(input) && (
            <p className="mt-1 flex items-center justify-between gap-2 text-muted">
              Too long for one line: save it as job.json
              <CopyButton what="the job as JSON" text={() => JSON.stringify(input)} />
            </p>
          )}
          <CopyBlock label="curl" code={curlLine(input) + token} />
          {(input.kind ?? 'job') === 'job' && <CopyBlock label="queuectl" code={queuectlLine(input)} />}
        </div>
      ) : (
        <p className="mt-1 text-muted">Complete the form to get commands for curl and queuectl.</p>
      )}
    </section>
  )
}
