import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DEVICE_RIGHTS } from '../../../src/contract/dashboard/devices.ts'
import { hasRight, neededRight } from '../../../src/core/access/device-rights.ts'
import { DASHBOARD_ROUTES } from '../../../src/dashboard/server/routes.ts'
import type { RouteName } from './client.ts'
import { refusalOf } from './may.ts'

const CHANGES = DASHBOARD_ROUTES.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`)
const needs = (route: string) => {
  const [method = '', path = ''] = route.split(' ')
  return neededRight({ method, path })
}

const SOURCE = new URL('../', import.meta.url).pathname
const sources = globSync('**/*.{ts,tsx}', { cwd: SOURCE })
  .filter((name) => !name.includes('.test.'))
  .map((name) => readFileSync(`${SOURCE}${name}`, 'utf8'))
  .join('\n')

describe('the buttons of the page', () => {
  it.each(DEVICE_RIGHTS)(
    'are disabled with the reason exactly where the server refuses a device that may %s',
    (right) => {
      for (const route of CHANGES) {
        const isRefused = refusalOf(right, route as RouteName) !== null
        expect([route, isRefused]).toEqual([route, !hasRight(right, needs(route))])
      }
    },
  )

  it('are never disabled before the right is known', () => {
    expect(CHANGES.map((route) => refusalOf(undefined, route as RouteName)).filter((why) => why !== null)).toEqual([])
  })

  it('name the change that they ask for, each that a limited device may not make', () => {
    const requests = [...sources.matchAll(/ask\(\s*'((?:POST|PATCH|DELETE) [^']+)'/g)].map(([, route]) => route!)
    expect(requests.length).toBeGreaterThan(10)
    // In `does`, or in a table or constant that `does` takes it from.
    const named = sources.replaceAll(/ask\(\s*'[^']+'/g, '')
    const silent = new Set(
      requests.filter((route) => needs(route) !== 'look' && !new RegExp(`['"]${route}['"]`).test(named)),
    )
    expect([...silent]).toEqual([])
  })
})
