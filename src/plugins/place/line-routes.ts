// What commands ask of the program that keeps the lines of this home: one row per route, for its handlers and for its clients.
import * as z from 'zod/mini'
import { ORCHESTRATOR } from '../../core/boundary/rights.ts'
import { routeShape as row } from '../../http/route-table.ts'

/** Its name is a file's. */
export const SPAWN_ID = /^[\w-]{1,128}$/

export const keepLine = row({
  method: 'PUT',
  path: '/lines/:spawnId',
  summary: 'Keep the line to a session in a place',
  inside: ORCHESTRATOR,
  body: z.strictObject({
    stateDir: z.string(),
    /** For what is run at home for this session. It may contain secrets: only in memory. */
    environment: z.record(z.string(), z.string()),
    /** Of whoever asks: an older program leaves, and the next one continues. null: from source. */
    version: z.nullable(z.string()),
  }),
  answer: z.object({ state: z.enum(['kept', 'leaving']) }),
})

export const dropLine = row({
  method: 'DELETE',
  path: '/lines/:spawnId',
  summary: 'End the line, not the session',
  inside: ORCHESTRATOR,
  answer: z.object({ ok: z.literal(true) }),
})

export const listLines = row({
  method: 'GET',
  path: '/lines',
  summary: 'Which lines are kept',
  answer: z.object({
    version: z.nullable(z.string()),
    lines: z.array(z.object({ spawnId: z.string(), stateDir: z.string() })),
  }),
})
