/** Asks before an act that reaches far, with how many jobs it is about and what an undo brings back. */
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { jobs } from '../bulk/bulk.ts'
import { ACTS, type Act } from '../list/acts.ts'
import type { Question } from './use-bulk-act.ts'

const UNDO = 'Once it is done it can be undone for 10 seconds'

export interface ConfirmActProps {
  /** null: nothing to ask. */
  readonly question: Question | null
  /** The text of the filter. */
  readonly text: string
  readonly onConfirm: (question: Question) => void
  readonly onClose: () => void
}

export function ConfirmAct({ question, text, onConfirm, onClose }: ConfirmActProps) {
  const { act = 'remove', count = 0 } = question ?? {}
  const { name } = ACTS[act]
  const what = count === null ? 'everything that matches' : jobs(count)
  return (
    <Dialog
      title={`${name} ${what}?`}
      description={question ? wordsOf(question, text) : ''}
      isOpen={question !== null}
      onClose={onClose}
    >
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Not now</Button>
        <Button
          weight={act === 'remove' || act === 'cancel' ? 'danger' : 'strong'}
          onClick={() => {
            if (question) onConfirm(question)
            onClose()
          }}
        >
          {name} {what}
        </Button>
      </div>
    </Dialog>
  )
}

function wordsOf({ act, isAll, mayRun }: Question, text: string): string {
  const which = !isAll
    ? 'The chosen rows'
    : text === ''
      ? 'There is no filter: all jobs'
      : `All jobs matching “${text}”`
  const except = isAll && mayRun ? ', except what is running' : ''
  const words: Readonly<Record<Act, string>> = {
    remove: `go, with their payloads, results, attempts and logs${except}. It begins in 10 seconds; until then it can be undone.`,
    cancel: `that are not over yet are cancelled. ${UNDO}${
      mayRun ? '; but what is running now is asked to stop, and a handler that was stopped is not brought back.' : '.'
    }`,
    retry: `that can be retried become pending, and each gets its full number of attempts again. ${UNDO}, as far as no worker has taken them.`,
    runNow: `that wait for their time become pending now. ${UNDO}, as far as no worker has taken them.`,
  }
  return `${which} ${words[act]}`
}
