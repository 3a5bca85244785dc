/** Asks before an act that reaches far, with how many jobs it is about and what an undo brings back. */
import { useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { jobs } from '../bulk/bulk.ts'
import { countText } from '../bulk/count-matches.ts'
import { ACTS, type Act } from '../list/actions.ts'
import type { Question } from './use-bulk-action.ts'

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
  const [isAgreed, setIsAgreed] = useState(false)
  const { act = 'remove', counted = { count: 0, state: 'exact' } } = question ?? {}
  const { name } = ACTS[act]
  const { state } = counted
  const what =
    state === 'exact'
      ? jobs(counted.count)
      : state === 'least'
        ? `${countText(counted)} jobs`
        : 'everything that matches'
  const close = () => {
    setIsAgreed(false)
    onClose()
  }
  return (
    <Dialog
      title={`${name} ${what}?`}
      description={question ? wordsOf(question, text) : ''}
      isOpen={question !== null}
      onClose={close}
    >
      {state === 'counting' && (
        <p role="status" data-testid="counting">
          Counting: {jobs(counted.count)} so far…
        </p>
      )}
      {state === 'least' && (
        <label className="flex items-start gap-2">
          <input
            type="checkbox"
            checked={isAgreed}
            onChange={(event) => setIsAgreed(event.target.checked)}
            className="mt-1"
          />
          <span>
            Counting them all would take too long: there are {countText(counted)}. {name} all of them, however many
            there are.
          </span>
        </label>
      )}
      <div className="flex justify-end gap-2">
        <Button onClick={close}>Not now</Button>
        <Button
          weight={act === 'remove' || act === 'cancel' ? 'danger' : 'strong'}
          disabled={state === 'counting' || (state === 'least' && !isAgreed)}
          onClick={() => {
            if (question) onConfirm(question)
            close()
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
