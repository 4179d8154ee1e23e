// The page "Archive".
import { Page } from '../../shell/page.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

export function ArchivePage() {
  return (
    <Page title="Archive">
      <EmptyState title="Archive">This page is being built.</EmptyState>
    </Page>
  )
}
