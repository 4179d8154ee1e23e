// The page "Feedback".
import { Page } from '../../shell/page.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

export function FeedbackPage() {
  return (
    <Page title="Feedback">
      <EmptyState title="Feedback">This page is being built.</EmptyState>
    </Page>
  )
}
