/** Keeps a fault in the page from taking the header and its connection state with it. */
import { Component, type ReactNode } from 'react'
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
    return <FailedToLoad what="this page" error={fault.error} onRetry={() => this.setState({ fault: null })} />
  }
}
