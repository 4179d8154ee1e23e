// Every REST route that the local forge answers, by area.
import type { Route } from './define-route.ts'
import { ISSUE_ROUTES } from './issue-routes.ts'
import { PULL_ROUTES } from './pull-routes.ts'
import { REPO_ROUTES } from './repo-routes.ts'
import { REVIEW_ROUTES } from './review-routes.ts'
import { RUN_ROUTES } from './run-routes.ts'

export const ROUTES: readonly Route[] = [
  ...REPO_ROUTES,
  ...PULL_ROUTES,
  ...REVIEW_ROUTES,
  ...ISSUE_ROUTES,
  ...RUN_ROUTES,
]
