// Whether this browser may do something, and the reason when not. The server decides by the same list.
import { describeRight, hasRight, neededRight } from '../../../src/core/access/device-rights.ts'
import { useAccess } from './access.ts'
import type { RouteName } from './client.ts'

/** For the properties of a button: disabled, with its reason. Empty while nothing is known, and where it may. */
export interface Refusal {
  disabled?: true
  title?: string
}

export function useRefusal(route: RouteName): Refusal {
  const access = useAccess()
  return refusalOf(access?.right, route)
}

export function refusalOf(right: Parameters<typeof hasRight>[0] | undefined, route: RouteName): Refusal {
  const [method = '', path = ''] = route.split(' ')
  if (right === undefined || hasRight(right, neededRight({ method, path }))) return {}
  return { disabled: true, title: `This device may ${describeRight(right)}.` }
}
