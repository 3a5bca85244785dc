/** Keeps a fault in the page from taking the header and its connection state with it. */
import { Component, type ReactNode } from 'react'
import { LostPart } from '../lib/chunk-load-error.ts'
import { FailedToLoad } from './FailedToLoad.tsx'

interface State {
  readonly fault: { readonly error: unknown } | null
}

export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { fault: null }

  static getDerivedStateFromError(error: unknown): State {
    return { fault: { error } }
  }

  override render(): ReactNode {
    const { fault } = this.state
    if (!fault) return this.props.children
    const { error } = fault
    // What was not fetched once is not asked for again: drawing the page anew would only say the same.
    const again = () => (error instanceof LostPart ? location.reload() : this.setState({ fault: null }))
    return <FailedToLoad isPage what="this page" error={error} onRetry={again} />
  }
}
