/** Dialog with the keyboard shortcuts. */
import { ROUTES } from '../lib/routes.ts'
import { Dialog } from '../ui/Dialog.tsx'

const ACTION_KEYS = [
  ['/', 'filter jobs'],
  ['j k', 'next and previous row'],
  ['x', 'select the row'],
  ['r', 'retry the row or the selection'],
  ['u', 'undo, or run the action of the last toast'],
  ['Enter', 'open the row'],
  ['Esc', 'close, or clear the selection'],
  ['?', 'this list'],
] as const

export function KeyMap({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const pages = ROUTES.map(({ letter, name }) => [`g ${letter}`, name] as const)
  return (
    <Dialog title="Keyboard shortcuts" isOpen={isOpen} onClose={onClose}>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 sm:grid-cols-[auto_1fr_auto_1fr]">
        {[...pages, ...ACTION_KEYS].map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt>
              {keys.split(' ').map((key, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a shortcut may repeat a key, and never changes
                <kbd key={index} className="mr-1 rounded bg-raised px-1.5 py-0.5 font-mono text-xs ring-1 ring-line">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd className="text-muted">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
