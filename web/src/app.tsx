// The app: what all pages share, and the table that maps addresses to pages.
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, Suspense } from 'react'
import { Route, Router, Switch, useLocation } from 'wouter'
import { useAccess } from './api/access.ts'
import { BASE } from './api/base.ts'
import { OwnRight } from './api/may.ts'
import { queryClient } from './api/query-client.ts'
import { ROUTES } from './routes.ts'
import { NotFound } from './shell/not-found.tsx'
import { PageBoundary } from './shell/page-boundary.tsx'
import { Shell } from './shell/shell.tsx'
import { Toasts } from './ui/overlay/toast.tsx'
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
            <Suspense fallback={<Spinner label="Loading the page" className="m-auto" />}>
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

function WithRight({ children }: { children: ReactNode }) {
  return <OwnRight value={useAccess()?.right}>{children}</OwnRight>
}
