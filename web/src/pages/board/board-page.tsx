// The page "Board".
import { Page } from '../../shell/page.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

export function BoardPage() {
  return (
    <Page title="Board">
      <EmptyState title="Board">This page is being built.</EmptyState>
    </Page>
  )
}
