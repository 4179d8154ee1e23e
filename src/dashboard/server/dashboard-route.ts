// A row of the dashboard's tables: it keeps its types, from which the page's client is inferred.
import { routesIn } from '../../http/route-table.ts'
import type { ApiCaller } from '../access/admit-request.ts'
import type { DashboardContext } from './context.ts'

export const route = routesIn<DashboardContext, ApiCaller>()
