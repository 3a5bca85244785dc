/** A menu of acts behind a button. */
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'

export interface MenuAct {
  readonly label: string
  readonly onChoose: () => void
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
}

export function Menu({ trigger, acts }: { trigger: ReactNode; acts: readonly MenuAct[] }) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          className="z-50 min-w-40 rounded-lg bg-surface p-1 shadow-xl ring-1 ring-line motion-safe:animate-appear"
        >
          {acts.map(({ label, onChoose, isDangerous = false, isDisabled = false }) => (
            <DropdownMenu.Item
              key={label}
              disabled={isDisabled}
              onSelect={onChoose}
              {...(isDangerous ? { 'data-tone': 'failed' } : {})}
              className={`cursor-pointer rounded-md px-2.5 py-1.5 outline-none data-highlighted:bg-raised data-disabled:opacity-50 ${isDangerous ? 'text-tone-ink' : ''}`}
            >
              {label}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
