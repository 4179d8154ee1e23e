// A page that fails says so, and the rest of the dashboard stays.
import { Component, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

interface State {
  failure: Error | null
}

/** React requires a class for this. */
export class PageBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failure: null }

  static getDerivedStateFromError(failure: Error): State {
    return { failure }
  }

  override render() {
    const { failure } = this.state
    if (!failure) return this.props.children
    return (
      <main className="m-auto p-6">
        <EmptyState title="This page failed" action={<Button onClick={() => location.reload()}>Load it again</Button>}>
          {failure.message}
        </EmptyState>
      </main>
    )
  }
}
