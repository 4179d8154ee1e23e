// The app: what all pages share, and the table that maps addresses to pages.
import { QueryClientProvider } from '@tanstack/react-query'
import { Component, type ReactNode, Suspense } from 'react'
import { Route, Router, Switch, useLocation } from 'wouter'
import { useAccess } from './api/access.ts'
import { BASE } from './api/base.ts'
import { OwnRight } from './api/may.ts'
import { queryClient } from './api/query-client.ts'
import { ROUTES } from './routes.ts'
import { Page } from './shell/page.tsx'
import { Shell } from './shell/shell.tsx'
import { useShortcuts } from './shell/use-shortcuts.ts'
import { Button, LinkButton } from './ui/button.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { sayUnheard, Toasts } from './ui/overlay/toast.tsx'
import { Spinner } from './ui/spinner.tsx'

export function App() {
  return (
    <Router base={BASE}>
      <Pages />
    </Router>
  )
}

function Pages() {
  const [location] = useLocation()
  return (
    <QueryClientProvider client={queryClient}>
      <WithRight>
        <Shell>
          {/* A new address is a new attempt. */}
          <PageBoundary key={location}>
            <Suspense fallback={<LoadingPage />}>
              <Switch>
                {ROUTES.map(({ path, page: Page }) => (
                  <Route key={path} path={path}>
                    {(params) => <Page params={params} />}
                  </Route>
                ))}
                <Route>
                  <NotFound />
                </Route>
              </Switch>
            </Suspense>
          </PageBoundary>
        </Shell>
      </WithRight>
      <Toasts />
    </QueryClientProvider>
  )
}

/** Keys of the page that is coming: they are not kept, as nobody has seen what they would act on. */
function LoadingPage() {
  useShortcuts((key) => {
    const isOfPage = /^[a-z/]$/.test(key) && !'eg'.includes(key)
    if (isOfPage) sayUnheard('The page is still loading, and did not hear that key: try again')
    return isOfPage
  })
  return <Spinner label="Loading the page" className="m-auto" />
}

function WithRight({ children }: { children: ReactNode }) {
  return <OwnRight value={useAccess()?.right}>{children}</OwnRight>
}

/** An address without a page. */
function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState title="There is no page at this address" action={<LinkButton href="/">Go to the board</LinkButton>}>
        The link may be old, or a letter is missing.
      </EmptyState>
    </Page>
  )
}

// A page that fails says so, and the rest of the dashboard stays.

interface State {
  failure: Error | null
}

/** React requires a class for this. */
class PageBoundary extends Component<{ children: ReactNode }, State> {
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
