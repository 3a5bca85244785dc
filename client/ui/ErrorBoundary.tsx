/** Error boundary around a page, so that a crash leaves the header working. */
import { Component, type ReactNode } from 'react'
import { ChunkLoadError } from '../lib/browser/chunk-load-error.ts'
import { FailedToLoad } from './FailedToLoad.tsx'

interface State {
  readonly failure: { readonly error: unknown } | null
}

export class ErrorBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failure: null }

  static getDerivedStateFromError(error: unknown): State {
    return { failure: { error } }
  }

  override render(): ReactNode {
    const { failure } = this.state
    if (!failure) return this.props.children
    const { error } = failure
    // A failed chunk stays failed until the page is reloaded.
    const retry = () => (error instanceof ChunkLoadError ? location.reload() : this.setState({ failure: null }))
    return <FailedToLoad isPage what="this page" error={error} onRetry={retry} />
  }
}
