import { expect, it } from 'vitest'
import { aghConfigSchema } from '../../contract/agh/config.ts'
import { explainProblems } from './explain-problems.ts'

it.each([
  [{ port: 0 }, 'Unrecognized key: "port"'],
  [{ http: { port: 'x' } }, 'http.port: Invalid input: expected number, received string'],
  [{ permissions: { mode: 'all' } }, /^permissions\.mode: Invalid option: expected one of "deny-all"\|/],
  [{ session: { limits: { timeout: 'long' } } }, 'session.limits.timeout: a duration such as 30s or 10m'],
])('names the key and what is wrong with it: %j', async (value, wording) => {
  const text = await explainProblems(aghConfigSchema, value)
  if (typeof wording === 'string') expect(text).toBe(wording)
  else expect(text).toMatch(wording)
})
