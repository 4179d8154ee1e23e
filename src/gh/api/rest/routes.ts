// Every REST route that the local forge answers, by area.
import { CHECK_ROUTES } from './check-routes.ts'
import type { Route } from './define-route.ts'
import { CONVERSATION_ROUTES } from './issues/conversation-routes.ts'
import { ISSUE_ROUTES } from './issues/issue-routes.ts'
import { LABEL_ROUTES } from './label-routes.ts'
import { PULL_COMMENT_ROUTES } from './pull-comment-routes.ts'
import { PULL_ROUTES } from './pull-routes.ts'
import { REPO_ROUTES } from './repo-routes.ts'
import { REVIEW_ROUTES } from './review-routes.ts'
import { RUN_ROUTES } from './run-routes.ts'

export const ROUTES: readonly Route[] = [
  ...REPO_ROUTES,
  ...PULL_ROUTES,
  ...PULL_COMMENT_ROUTES,
  ...REVIEW_ROUTES,
  ...ISSUE_ROUTES,
  ...CONVERSATION_ROUTES,
  ...LABEL_ROUTES,
  ...CHECK_ROUTES,
  ...RUN_ROUTES,
]
