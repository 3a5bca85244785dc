/** Root of the dashboard: providers, header, pages, dialogs and toasts. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { Router } from 'wouter'
import { api, httpStatusOf } from '../lib/api.ts'
import { basePath } from '../lib/routes.ts'
import { LiveProvider } from '../live/LiveProvider.tsx'
import { createClient } from '../session/create-client.ts'
import { SessionProvider } from '../session/SessionProvider.tsx'
import { ErrorBoundary } from '../ui/ErrorBoundary.tsx'
import { ToastStack } from '../ui/ToastStack.tsx'
import { BulkPanels } from './BulkPanels.tsx'
import { Header } from './header/Header.tsx'
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
              <Layout />
            </SessionProvider>
          </LiveProvider>
        </Router>
      </QueryClientProvider>
    </api.Provider>
  )
}

function Layout() {
  const [isHelpOpen, setIsHelpOpen] = useState(false)
  useKeys(() => setIsHelpOpen(true))
  return (
    <>
      <Tab />
      <button
        type="button"
        // Not a `#content` link: it would resolve against <base>, not against this page.
        onClick={() => document.getElementById('content')?.focus()}
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-3"
      >
        Skip to content
      </button>
      <Header onHelp={() => setIsHelpOpen(true)} />
      <main id="content" tabIndex={-1} className="mx-auto max-w-6xl px-4 pt-5 pb-16 outline-none sm:px-6">
        <ErrorBoundary>
          <TokenGate>
            <Pages />
          </TokenGate>
        </ErrorBoundary>
      </main>
      <KeyMap isOpen={isHelpOpen} onClose={() => setIsHelpOpen(false)} />
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
        // A local server is reachable without internet access.
        networkMode: 'always',
        // Client errors do not go away by retrying; network and server errors may.
        retry: (failures, error) => failures < 2 && (httpStatusOf(error) ?? 500) >= 500,
        retryDelay: 700,
        refetchOnWindowFocus: 'always',
      },
      // Mutations fail at once when offline: a delayed action would be unexpected.
      mutations: { networkMode: 'always' },
    },
  })
}
