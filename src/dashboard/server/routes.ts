// Every route of the dashboard's API that needs credentials: one table, from which requests are answered, access is tested
// and OpenAPI is generated.
import { ACCESS_ROUTES } from '../access/access-routes.ts'
import { DEVICE_ROUTES } from '../devices/device-routes.ts'
import { PUSH_ROUTES } from '../devices/push-routes.ts'
import { ISSUE_ROUTES } from '../issues/issue-routes.ts'
import { PULL_ROUTES } from '../pulls/pull-routes.ts'
import { RADAR_ROUTES } from '../pulls/radar-routes.ts'
import { TRAIN_ROUTES } from '../pulls/train-routes.ts'
import { ARCHIVE_ROUTES } from '../sessions/archive-routes.ts'
import { MESSAGE_ROUTES } from '../sessions/message-routes.ts'
import { QUEUE_ROUTES } from '../sessions/queue-routes.ts'
import { SEARCH_ROUTES } from '../sessions/search-routes.ts'
import { SESSION_ROUTES } from '../sessions/session-routes.ts'
import { TASK_ROUTES } from '../sessions/task-routes.ts'
import { TRANSCRIPT_ROUTES } from '../sessions/transcript-routes.ts'
import { WORK_ROUTES } from '../sessions/work-routes.ts'
import { CONFIG_ROUTES } from '../system/config-routes.ts'
import { FEEDBACK_ROUTES } from '../system/feedback-routes.ts'
import { MCP_ROUTES } from '../system/mcp-routes.ts'
import { OBSERVABILITY_ROUTES } from '../system/observability-routes.ts'
import { SCHEDULE_ROUTES } from '../system/schedule-routes.ts'
import { SETTINGS_ROUTES } from '../system/settings-routes.ts'

export const DASHBOARD_ROUTES = [
  ...ACCESS_ROUTES,
  ...DEVICE_ROUTES,
  ...PUSH_ROUTES,
  ...SESSION_ROUTES,
  ...WORK_ROUTES,
  ...TASK_ROUTES,
  ...QUEUE_ROUTES,
  ...MESSAGE_ROUTES,
  ...TRANSCRIPT_ROUTES,
  ...PULL_ROUTES,
  ...RADAR_ROUTES,
  ...TRAIN_ROUTES,
  ...ISSUE_ROUTES,
  ...OBSERVABILITY_ROUTES,
  ...FEEDBACK_ROUTES,
  ...ARCHIVE_ROUTES,
  ...SEARCH_ROUTES,
  ...SCHEDULE_ROUTES,
  ...SETTINGS_ROUTES,
  ...CONFIG_ROUTES,
  ...MCP_ROUTES,
]
