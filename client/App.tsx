/** The dashboard's frame: connections, header, the page and what catches its faults. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { useState } from 'react'
import { api, createClient, httpStatusOf } from './api.ts'
import { LiveProvider } from './live/LiveProvider.tsx'
import { Overview } from './overview/Overview.tsx'
import { ErrorBoundary } from './page/ErrorBoundary.tsx'
import { Header } from './page/Header.tsx'
import { TokenGate } from './page/TokenGate.tsx'

export function App() {
  const [client] = useState(createClient)
  const [queries] = useState(createQueries)
  return (
    <api.Provider client={client} queryClient={queries}>
      <QueryClientProvider client={queries}>
        <LiveProvider>
          <Header />
          <main className="mx-auto max-w-6xl px-4 pt-5 pb-16 sm:px-6">
            <ErrorBoundary>
              <TokenGate>
                <Overview />
              </TokenGate>
            </ErrorBoundary>
          </main>
        </LiveProvider>
      </QueryClientProvider>
    </api.Provider>
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
    },
  })
}
