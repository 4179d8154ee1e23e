import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTempStore, RESERVED, type TempStore } from '../../../../test/store/temp-store.ts'
import type { ManagerContext } from '../../../manager/context.ts'
import type { Io } from '../../print/io.ts'
import type { Ao } from '../open-ao.ts'
import { carryOut } from './carry-out.ts'

let temp: TempStore
beforeEach(() => {
  temp = createTempStore()
  temp.store.ensure()
})
afterEach(() => temp.temp.cleanup())

it.each(['approve', 'request', 'merge'] as const)(
  '%s is refused when the session has another pull request now',
  async (kind) => {
    await temp.store.reserve('app-1', { project: 'my-service', createdAt: new Date(0) }, RESERVED)
    await temp.store.update('app-1', { pr: 'https://forge/8' })
    // Whoever asks it for anything else has gone too far.
    const context = { config: { projects: { 'my-service': {} } }, store: () => temp.store } as unknown as ManagerContext
    const change = {
      kind,
      sessionId: 'app-1',
      sha: 'abc123',
      url: 'https://forge/7',
      name: 'A switch',
      text: 'no',
    } as const
    await expect(carryOut({ context } as Ao, {} as Io, change)).rejects.toThrow(
      'app-1 has another pull request now than https://forge/7',
    )
  },
)
