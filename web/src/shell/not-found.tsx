// An address without a page.

import { LinkButton } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from './page.tsx'

export function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState title="There is no page at this address" action={<LinkButton href="/">Go to the board</LinkButton>}>
        The link may be old, or a letter is missing.
      </EmptyState>
    </Page>
  )
}
