/** Row of a JSON tree, rendered as text only, so that payloads cannot inject markup. */
import { formatNumber } from '../../lib/format-number.ts'
import { Icon } from '../Icon.tsx'
import type { Part, Row } from './rows.ts'

export const ROW_PX = 22

export interface JsonRowProps {
  readonly row: Row
  readonly id: string
  readonly isActive: boolean
  readonly isFound: boolean
  readonly onToggle: (row: Row) => void
  readonly onCopy: (row: Row, what: 'path' | 'value') => void
}

export function JsonRow({ row, id, isActive, isFound, onToggle, onCopy }: JsonRowProps) {
  const { part, depth, label } = row
  const canOpen = 'isOpen' in part
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles the keys
    <div
      role="treeitem"
      id={id}
      tabIndex={-1}
      aria-level={depth + 1}
      aria-selected={isActive}
      {...(canOpen && { 'aria-expanded': part.isOpen })}
      onClick={() => onToggle(row)}
      style={{ height: ROW_PX, paddingLeft: depth * 16 + 8 }}
      className={`group flex w-max min-w-full items-center gap-1.5 pr-2 ${canOpen ? 'cursor-pointer' : ''} ${isFound ? 'bg-tone/20' : isActive ? 'hover:bg-raised/60 group-focus/tree:bg-raised' : 'hover:bg-raised/60'}`}
      {...(isFound && { 'data-tone': 'pending', 'data-found': '' })}
    >
      <span aria-hidden="true" className="flex w-3 shrink-0 text-faint">
        {canOpen && <Icon name={part.isOpen ? 'down' : 'right'} />}
      </span>
      {label !== null && (
        <span className={typeof label === 'number' ? 'text-faint' : 'text-ink'}>
          {label}
          <span className="text-faint">:</span>
        </span>
      )}
      <PartText part={part} />
      {part.kind !== 'range' && part.kind !== 'piece' && (
        <span className="sticky right-2 ml-auto hidden gap-1 bg-inherit pl-3 font-sans group-hover:flex">
          <RowButton label="path" onClick={() => onCopy(row, 'path')} />
          <RowButton label="value" onClick={() => onCopy(row, 'value')} />
        </span>
      )}
    </div>
  )
}

function RowButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={`Copy ${label}`}
      onClick={(event) => {
        event.stopPropagation()
        onClick()
      }}
      className="h-5 rounded bg-surface px-1.5 text-muted text-xs ring-1 ring-line hover:text-ink"
    >
      copy {label}
    </button>
  )
}

function PartText({ part }: { part: Part }) {
  switch (part.kind) {
    case 'branch':
      return <span className="text-muted">{part.isOpen ? sizeOf(part) : previewOf(part)}</span>
    case 'range':
      return <span className="text-muted">{`${formatNumber(part.from)} … ${formatNumber(part.to - 1)}`}</span>
    case 'piece':
      return <Coloured tone="completed" text={part.value} />
    case 'text':
      return (
        <>
          <Coloured tone="completed" text={part.isOpen ? '' : `"${part.value.slice(0, 80)}…`} />
          <span className="text-muted">{formatNumber(part.value.length)} characters</span>
        </>
      )
    case 'scalar':
      return <Coloured tone={TONES[typeof part.value] ?? 'cancelled'} text={JSON.stringify(part.value)} />
  }
}

const TONES: Readonly<Record<string, string>> = { string: 'completed', number: 'processing', boolean: 'scheduled' }

function Coloured({ tone, text }: { tone: string; text: string }) {
  return (
    <span data-tone={tone} className="whitespace-pre text-tone-ink">
      {text}
    </span>
  )
}

function sizeOf({ value, size }: { readonly value: object; readonly size: number }): string {
  if (Array.isArray(value)) return size === 0 ? '[ ]' : `[ ${formatNumber(size)} ]`
  return size === 0 ? '{ }' : `{ ${formatNumber(size)} }`
}

/** First keys or values of a closed branch. */
function previewOf({ value, size }: { readonly value: object; readonly size: number }): string {
  const isList = Array.isArray(value)
  const [left, right] = isList ? ['[', ']'] : ['{', '}']
  if (size === 0) return `${left} ${right}`
  const shown = (isList ? value.slice(0, 3) : Object.keys(value).slice(0, 4)).map((one: unknown) =>
    isList ? short(one) : String(one).slice(0, 24),
  )
  const more = size > shown.length ? `, … ${formatNumber(size)} in total` : ''
  return `${left} ${shown.join(', ')}${more} ${right}`
}

function short(value: unknown): string {
  if (Array.isArray(value)) return '[…]'
  if (typeof value === 'object' && value !== null) return '{…}'
  return JSON.stringify(typeof value === 'string' ? value.slice(0, 24) : value)
}
