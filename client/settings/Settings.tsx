/** Settings of the queue and of this page, one tab each; the tab is in the URL. */
import { Tabs } from 'radix-ui'
import type { ComponentType } from 'react'
import { useSearchParams } from 'wouter'
import { usePageName } from '../shell/tab/page-name.ts'
import { PageHead } from '../ui/PageHead.tsx'
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
  const asked = params.get('tab')
  const tab = TABS.some(([id]) => id === asked) ? (asked ?? 'general') : 'general'
  usePageName(`${TABS.find(([id]) => id === tab)?.[1]} · Settings`)
  return (
    <>
      <PageHead title="Settings" />
      <Tabs.Root value={tab} onValueChange={(chosen) => setParams({ tab: chosen })} activationMode="manual">
        <Tabs.List
          aria-label="Settings"
          className="mb-5 flex gap-1 overflow-x-auto border-line border-b px-2 [scrollbar-width:none] sm:px-3"
        >
          {TABS.map(([id, name]) => (
            <Tabs.Trigger
              key={id}
              value={id}
              className="-mb-px h-9 shrink-0 border-transparent border-b-2 px-2 font-medium text-muted transition-colors hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-ink data-[state=active]:text-ink"
            >
              {name}
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
