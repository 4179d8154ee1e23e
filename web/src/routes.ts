// The table of pages. Each one is loaded when it is first shown.
import { type ComponentType, lazy } from 'react'
import type { PagePath } from '../../src/contract/dashboard/page-paths.ts'
import { loadPart } from './api/load-part.ts'

/** Parameters from the address: `/sessions/:id` gives `params.id`. */
export interface PageProps {
  params: Record<string, string | undefined>
}

export const ROUTES: ReadonlyArray<{ path: PagePath; page: ComponentType<PageProps> }> = [
  { path: '/', page: page(async () => (await import('./pages/board/board-page.tsx')).BoardPage) },
  { path: '/queue', page: page(async () => (await import('./pages/queue/queue-page.tsx')).QueuePage) },
  { path: '/sessions/:id', page: page(async () => (await import('./pages/session/session-page.tsx')).SessionPage) },
  { path: '/tasks/:id', page: page(async () => (await import('./pages/tasks/task-page.tsx')).TaskPage) },
  { path: '/plans/:id', page: page(async () => (await import('./pages/tasks/plan-page.tsx')).PlanPage) },
  { path: '/pulls', page: page(async () => (await import('./pages/pulls/pulls-page.tsx')).PullsPage) },
  ...(['/projects/:project/pull/:number', '/projects/:project/pull/:number/checks/:check'] as const).map((path) => ({
    path,
    page: page(async () => (await import('./pages/pull/pull-page.tsx')).PullPage),
  })),
  { path: '/radar', page: page(async () => (await import('./pages/radar/radar-page.tsx')).RadarPage) },
  { path: '/train', page: page(async () => (await import('./pages/train/train-page.tsx')).TrainPage) },
  { path: '/issues', page: page(async () => (await import('./pages/issues/issues-page.tsx')).IssuesPage) },
  {
    path: '/projects/:project/issues/:id',
    page: page(async () => (await import('./pages/issues/issue-page.tsx')).IssuePage),
  },
  {
    path: '/observability',
    page: page(async () => (await import('./pages/observability/observability-page.tsx')).ObservabilityPage),
  },
  { path: '/feedback', page: page(async () => (await import('./pages/observability/feedback-page.tsx')).FeedbackPage) },
  { path: '/archive', page: page(async () => (await import('./pages/archive/archive-page.tsx')).ArchivePage) },
  { path: '/settings', page: page(async () => (await import('./pages/settings/settings-page.tsx')).SettingsPage) },
]

function page(load: () => Promise<ComponentType<PageProps>>): ComponentType<PageProps> {
  return lazy(async () => ({ default: await loadPart(load) }))
}
