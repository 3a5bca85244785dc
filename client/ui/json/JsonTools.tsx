/** Toolbar of a JSON tree: search, open and close all, copy. */
import type { KeyboardEvent } from 'react'
import { formatNumber } from '../../lib/format-number.ts'
import { Button } from '../Button.tsx'
import { CopyButton } from '../CopyButton.tsx'
import { MAX_FOUND } from './find.ts'
import type { JsonTree } from './use-json-tree.ts'

export interface JsonToolsProps {
  readonly title: string
  readonly tree: JsonTree
  readonly name: string
  readonly text: () => string
  readonly canSearch: boolean
}

export function JsonTools({ title, tree, name, text, canSearch }: JsonToolsProps) {
  const { query, found, place } = tree
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || found.length === 0) return
    event.preventDefault()
    tree.show(event.shiftKey ? place - 1 : place + 1)
  }
  return (
    <div className="mb-2 flex min-h-7 flex-wrap items-center gap-1">
      <h2 className="mr-auto pr-3 font-semibold">{title}</h2>
      {canSearch && (
        <>
          <input
            type="search"
            value={query}
            onChange={(event) => tree.search(event.target.value)}
            onKeyDown={onKeyDown}
            placeholder={`Search the ${name}`}
            aria-label={`Search the ${name}`}
            className="order-last h-7 w-full min-w-0 rounded-md bg-canvas px-2 text-xs ring-1 ring-line placeholder:text-faint sm:order-none sm:w-52"
          />
          {query !== '' && (
            <span role="status" className="px-1 text-muted text-xs">
              {found.length === 0
                ? 'not found'
                : `${formatNumber(place + 1)} of ${formatNumber(found.length)}${found.length === MAX_FOUND ? '+' : ''}`}
            </span>
          )}
          <Button isSmall weight="quiet" onClick={tree.openAll}>
            Open all
          </Button>
          <Button isSmall weight="quiet" onClick={tree.closeAll}>
            Close all
          </Button>
        </>
      )}
      <CopyButton what={`the whole ${name}`} text={text} />
    </div>
  )
}
