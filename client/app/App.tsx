/** The dashboard's frame: connections, header, the pages and what catches their faults. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { Router } from 'wouter'
import { BulkPanels } from '../features/jobs/bulk/BulkPanels.tsx'
import { api, createClient, httpStatusOf } from '../lib/api.ts'
import { basePath } from '../lib/routes.ts'
import { LiveProvider } from '../live/LiveProvider.tsx'
import { SessionProvider } from '../session/SessionProvider.tsx'
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx'
import { ToastStack } from '../ui/ToastStack.tsx'
import { Header } from './Header.tsx'
import { KeyMap } from './KeyMap.tsx'
import { Pages } from './Pages.tsx'
import { TokenGate } from './TokenGate.tsx'
import { Tab } from './tab/Tab.tsx'
import { useKeys } from './use-keys.ts'

export function App() {
  const [client] = useState(createClient)
  const [queries] = useState(createQueries)
  return (
    <api.Provider client={client} queryClient={queries}>
      <QueryClientProvider client={queries}>
        <Router base={basePath()}>
          <LiveProvider>
            <SessionProvider>
              <Frame />
            </SessionProvider>
          </LiveProvider>
        </Router>
      </QueryClientProvider>
    </api.Provider>
  )
}

function Frame() {
  const [isHelping, setIsHelping] = useState(false)
  useKeys(() => setIsHelping(true))
  return (
    <>
      <Tab />
      <button
        type="button"
        // An address of a part would be one of the base, not of this page.
        onClick={() => document.getElementById('content')?.focus()}
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-3"
      >
        Skip to the page
      </button>
      <Header onHelp={() => setIsHelping(true)} />
      <main id="content" tabIndex={-1} className="mx-auto max-w-6xl px-4 pt-5 pb-16 outline-none sm:px-6">
        <ErrorBoundary>
          <TokenGate>
            <Pages />
          </TokenGate>
        </ErrorBoundary>
      </main>
      <KeyMap isOpen={isHelping} onClose={() => setIsHelping(false)} />
      <div className="pointer-events-none fixed inset-x-4 bottom-4 z-50 grid gap-2 sm:left-auto sm:w-96 max-lg:[body:has([data-selection])_&]:bottom-18 max-sm:[body:has([data-selection])_&]:bottom-28">
        <BulkPanels />
        <ToastStack />
      </div>
    </>
  )
}

function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // A server on this machine or in this house is there without the internet.
        networkMode: 'always',
        // What a refusal says will not change by asking again; a broken line may mend.
        retry: (failures, error) => failures < 2 && (httpStatusOf(error) ?? 500) >= 500,
        retryDelay: 700,
        refetchOnWindowFocus: 'always',
      },
      // An act that cannot be done now fails now: done later, unasked, it would surprise.
      mutations: { networkMode: 'always' },
    },
  })
}
