// Ports are given away per session, and never twice.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { PortBlock } from '../core/session/agent-environment.ts'
import { freeBlock, takePorts } from './session-ports.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'ao-ports-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const WANTED = { first: 21_000, count: 10 }

function take(name: string, reserved: number[] = [], before?: number) {
  const record = join(home, name)
  writeFileSync(record, '')
  return takePorts(home, { record, before, wanted: WANTED, reserved })
}

it('gives each session a block of its own, and the same one again', async () => {
  expect(await take('app-1')).toEqual({ first: 21_000, count: 10 })
  expect(await take('app-2')).toEqual({ first: 21_010, count: 10 })
  expect(await take('app-1', [], 21_000)).toEqual({ first: 21_000, count: 10 })
})

it("does not give away the dashboard's own port", async () => {
  expect(await take('app-1', [21_005])).toEqual({ first: 21_010, count: 10 })
})

it('gives the block of a session that is gone to the next one', async () => {
  await take('app-1')
  rmSync(join(home, 'app-1'))
  expect(await take('app-2')).toEqual({ first: 21_000, count: 10 })
})

it('blocks of ports never overlap, whatever sizes were taken before', () => {
  const size = fc.integer({ min: 1, max: 100 })
  fc.assert(
    fc.property(fc.array(size, { maxLength: 60 }), fc.integer({ min: 1_024, max: 60_000 }), (sizes, first) => {
      const taken: PortBlock[] = []
      for (const count of sizes) {
        const block = freeBlock({ first, count }, taken)
        if (block) taken.push(block)
      }
      const ports = taken.flatMap((one) => Array.from({ length: one.count }, (_, index) => one.first + index))
      expect(new Set(ports).size).toBe(ports.length)
      expect(ports.every((port) => port >= first && port <= 65_535)).toBe(true)
    }),
  )
})
