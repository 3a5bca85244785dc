/** Asks before jobs are deleted, and says which. */
import { Confirm } from '../../ui/Confirm.tsx'
import { jobs } from '../bulk/bulk.ts'

const WHEN = 'It begins in 10 seconds; until then it can be undone.'

export interface ConfirmDeleteProps {
  readonly isOpen: boolean
  readonly isAll: boolean
  /** The filter. */
  readonly text: string
  /** null: not known. */
  readonly count: number | null
  readonly onConfirm: () => void
  readonly onClose: () => void
}

export function ConfirmDelete({ isOpen, isAll, text, count, onConfirm, onClose }: ConfirmDeleteProps) {
  const what = count === null ? 'everything that matches' : jobs(count)
  return (
    <Confirm
      title={`Delete ${isAll && text === '' ? 'every job of this queue' : what}?`}
      description={
        isAll
          ? `${text === '' ? 'There is no filter: all jobs go' : `Everything that matches “${text}” goes`}, with payloads, results, attempts and logs, except what is running. ${WHEN}`
          : `They go for good, with their payloads, results, attempts and logs. ${WHEN}`
      }
      act="Delete"
      isOpen={isOpen}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  )
}
