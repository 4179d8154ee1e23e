// Whether this browser may do something, and the reason when not. The server decides by the same list.
import { createContext, useContext } from 'react'
import type { DeviceRight } from '../../../src/contract/dashboard/devices.ts'
import { describeRight, hasRight, neededRight } from '../../../src/core/access/device-rights.ts'
import type { RouteName } from './client.ts'

/** What this browser may do; undefined: not known yet. */
export const OwnRight = createContext<DeviceRight | undefined>(undefined)

/** The reason why this browser may not do it; null: it may, or nothing is known yet. */
export function useRefusal(route: RouteName | undefined): string | null {
  return refusalOf(useContext(OwnRight), route)
}

export function refusalOf(right: DeviceRight | undefined, route: RouteName | undefined): string | null {
  if (right === undefined || route === undefined) return null
  const [method = '', path = ''] = route.split(' ')
  return hasRight(right, neededRight({ method, path })) ? null : `This device may ${describeRight(right)}.`
}
