/** Collapsible JSON tree with search and copy; renders only the rows in view. */
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useLayoutEffect, useRef } from 'react'
import { useWindow } from '../../lib/browser/use-window.ts'
import { toasts } from '../../lib/toasts.ts'
import { useCopied } from '../use-copied.ts'
import { JsonRow, ROW_PX } from './JsonRow.tsx'
import { JsonTools } from './JsonTools.tsx'
import { writePath } from './path.ts'
import { isBranch, LONG_TEXT, type Row } from './rows.ts'
import { parentOf, useJsonTree } from './use-json-tree.ts'

/** `name` is the root of copied paths, for example `payload`. */
export function JsonView({ value, name, title }: { value: unknown; name: string; title: string }) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const tree = useJsonTree(value)
  const { rows, active, found } = tree
  const { copy } = useCopied()
  const { first, end } = useWindow(box, rows.length, ROW_PX)
  const at = Math.max(
    0,
    rows.findIndex(({ key }) => key === active),
  )

  useLayoutEffect(() => keepInView(box.current, at), [at])
  const showFirst = useEffectEvent(() => {
    if (found.length > 0) tree.show(0)
  })
  useEffect(() => {
    if (found.length > 0) showFirst()
  }, [found])

  function copyRow(row: Row, what: 'path' | 'value'): void {
    const text = what === 'path' ? writePath(name, row.path) : textOf(valueAt(value, row.path))
    void copy(text)
    toasts.show(what === 'path' ? `Copied ${text}` : 'Copied the value', { ms: 2_000 })
  }

  function onKeyDown(event: KeyboardEvent): void {
    const row = rows[at]
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return
    const isOpen = 'isOpen' in row.part ? row.part.isOpen : null
    const to = (place: number) => tree.setActive(rows[Math.max(0, Math.min(rows.length - 1, place))]?.key ?? '')
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => to(at + 1),
      ArrowUp: () => to(at - 1),
      Home: () => to(0),
      End: () => to(rows.length - 1),
      ArrowRight: () => (isOpen === false ? tree.toggle(row) : to(at + 1)),
      ArrowLeft: () => (isOpen ? tree.toggle(row) : to(parentOf(rows, at))),
      Enter: () => tree.toggle(row),
      ' ': () => tree.toggle(row),
      p: () => copyRow(row, 'path'),
      c: () => copyRow(row, 'value'),
    }
    const action = actions[event.key]
    if (!action) return
    event.preventDefault()
    action()
  }

  return (
    <div>
      <JsonTools title={title} tree={tree} name={name} text={() => textOf(value)} canSearch={isWorthSearching(value)} />
      <div
        ref={box}
        role="tree"
        tabIndex={0}
        aria-label={name}
        aria-activedescendant={`${id}${at}`}
        aria-describedby={`${id}keys`}
        onKeyDown={onKeyDown}
        data-testid={`json-${name}`}
        className="group/tree relative max-h-[28rem] overflow-auto overscroll-contain rounded-md bg-canvas py-1 font-mono text-xs ring-1 ring-line [overflow-anchor:none]"
      >
        <div role="presentation" style={{ height: rows.length * ROW_PX }}>
          <div
            role="presentation"
            className="w-max min-w-full"
            style={{ transform: `translateY(${first * ROW_PX}px)` }}
          >
            {rows.slice(first, end).map((row, place) => (
              <JsonRow
                key={row.key}
                id={`${id}${first + place}`}
                row={row}
                isActive={first + place === at}
                isFound={row.key === tree.foundKey && row.part.kind !== 'piece'}
                onToggle={tree.toggle}
                onCopy={copyRow}
              />
            ))}
          </div>
        </div>
      </div>
      <p id={`${id}keys`} className="sr-only">
        Arrow keys open and close, c copies a value, p its path.
      </p>
    </div>
  )
}

function keepInView(box: HTMLElement | null, place: number): void {
  if (!box) return
  const top = place * ROW_PX
  if (top < box.scrollTop) box.scrollTop = top
  else if (top + 2 * ROW_PX > box.scrollTop + box.clientHeight) box.scrollTop = top + 2 * ROW_PX - box.clientHeight
}

function isWorthSearching(value: unknown): boolean {
  if (!isBranch(value)) return typeof value === 'string' && value.length > LONG_TEXT
  return Object.keys(value).length > 5 || Object.values(value).some(isBranch)
}

function valueAt(value: unknown, path: Row['path']): unknown {
  return path.reduce<unknown>((one, step) => (isBranch(one) ? Reflect.get(one, step) : undefined), value)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}
