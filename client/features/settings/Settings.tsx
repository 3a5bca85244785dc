/** Settings page. The URL holds the selected tab. */
import { Tabs } from 'radix-ui'
import type { ComponentType } from 'react'
import { useSearchParams } from 'wouter'
import { usePageName } from '../../lib/browser/page-name.ts'
import { useEdges } from '../../lib/browser/use-edges.ts'
import { PageHead } from '../../ui/PageHead.tsx'
import { AuditTab } from './AuditTab.tsx'
import { DatabaseTab } from './DatabaseTab.tsx'
import { ExportTab } from './export/ExportTab.tsx'
import { GeneralTab } from './general/GeneralTab.tsx'
import { RedactionTab } from './RedactionTab.tsx'
import { ThemeTab } from './ThemeTab.tsx'
import { TokensTab } from './tokens/TokensTab.tsx'
import { WebhooksTab } from './webhooks/WebhooksTab.tsx'

const TABS: readonly (readonly [id: string, name: string, tab: ComponentType])[] = [
  ['general', 'General', GeneralTab],
  ['tokens', 'Tokens', TokensTab],
  ['webhooks', 'Webhooks', WebhooksTab],
  ['audit', 'Audit', AuditTab],
  ['database', 'Database', DatabaseTab],
  ['export', 'Export', ExportTab],
  ['redaction', 'Redaction', RedactionTab],
  ['theme', 'Theme', ThemeTab],
]

export function Settings() {
  const [params, setParams] = useSearchParams()
  const requested = params.get('tab')
  const tab = TABS.some(([id]) => id === requested) ? (requested ?? 'general') : 'general'
  usePageName(`${TABS.find(([id]) => id === tab)?.[1]} · Settings`)
  const { fade, ...row } = useEdges<HTMLDivElement>('[data-state=active]', tab)
  return (
    <>
      <PageHead title="Settings" />
      <Tabs.Root value={tab} onValueChange={(chosen) => setParams({ tab: chosen })} activationMode="manual">
        <Tabs.List
          {...row}
          aria-label="Settings"
          className={`mb-5 flex gap-1 overflow-x-auto px-2 shadow-[inset_0_-1px_0_var(--line)] [scrollbar-width:none] motion-safe:scroll-smooth sm:px-3 ${fade}`}
        >
          {TABS.map(([id, name]) => (
            <Tabs.Trigger
              key={id}
              value={id}
              className="group h-9 shrink-0 border-transparent border-b-2 font-medium text-muted outline-none transition-colors hover:text-ink data-[state=active]:border-ink data-[state=active]:text-ink"
            >
              {/* The scrolling row clips its content, so the focus ring is inset. */}
              <span className="mx-0.5 block rounded px-1.5 py-0.5 outline-focus group-focus-visible:outline-2">
                {name}
              </span>
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {TABS.map(([id, , Tab]) => (
          <Tabs.Content key={id} value={id} tabIndex={-1} className="outline-none">
            <Tab />
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </>
  )
}
