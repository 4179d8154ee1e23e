// A flag, field, parameter or input that is not understood is refused in every command and on every route, whatever its name.
import fc from 'fast-check'
import { isInputObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { createFakeIo } from '../../test/support/fake-io.ts'
import { loadGithubSchema, MUTATIONS, mutationRoot } from './api/graphql/answer-graphql.ts'
import { answerRest, ROUTES } from './api/rest/answer-rest.ts'
import { ghCommand } from './gh-command.ts'
import type { Gh } from './open-gh.ts'

const run = async (argv: string[]) => {
  const { io, stdout, stderr } = createFakeIo()
  return { exitCode: await ghCommand.runRaw!(argv, io), stdout: stdout(), stderr: stderr() }
}
const { stdout: help } = await run(['help'])
const COMMANDS = [...help.matchAll(/gh ([a-z]+(?: [a-z]+)?)(?=,|\n)/g)].map(([, name]) => name!.split(' '))

/** A name that nothing has. */
const strange = fc.stringMatching(/^[a-z]{2,8}$/).map((word) => `zz${word}`)
/** Nothing of it may be touched before everything is understood. */
const untouched = { project: { id: 'app' }, config: { port: 3000 } } as unknown as Gh
const { io } = createFakeIo()

describe('what gh does not understand is refused', () => {
  it('knows its commands', () => {
    expect(COMMANDS.length).toBeGreaterThan(30)
    expect(COMMANDS).toContainEqual(['api'])
  })

  it.each(COMMANDS.map((parts) => [parts.join(' '), parts] as const))('gh %s: unknown flags', async (_, parts) => {
    await fc.assert(
      fc.asyncProperty(strange, fc.boolean(), async (flag, hasValue) => {
        const given = hasValue ? `--${flag}=x` : `--${flag}`
        expect(await run([...parts, '1', given])).toEqual({
          exitCode: 1,
          stdout: '',
          stderr: `unknown flag: --${flag}\n`,
        })
      }),
      { numRuns: 10 },
    )
  })

  it.each([
    'pr view',
    'pr list',
    'pr status',
    'pr checks',
    'issue view',
    'issue list',
    'run list',
    'run view',
    'label list',
    'repo view',
  ])('gh %s --json: unknown fields', async (command) => {
    await fc.assert(
      fc.asyncProperty(strange, async (name) => {
        const { exitCode, stdout, stderr } = await run([...command.split(' '), '--json', name])
        expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
        expect(stderr).toContain(`Unknown JSON field: "${name}"`)
      }),
      { numRuns: 5 },
    )
  })

  it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s: unknown parameters and bodies',
    async (_, route) => {
      const below = route.path.replace(/[:*]\w+/g, '1')
      const path = below.startsWith('/') ? below.slice(1) : `repos/projects/app${below === '' ? '' : `/${below}`}`
      const ask = (query: Map<string, string>, body: unknown) =>
        answerRest(untouched, { method: route.method, path, query, body, headers: new Map() }, io)
      await fc.assert(
        fc.asyncProperty(strange, async (name) => {
          await expect(ask(new Map([[name, 'x']]), undefined)).rejects.toMatchObject({
            status: 422,
            message: expect.stringContaining(name),
          })
          await expect(ask(new Map(), { [name]: 'x' })).rejects.toMatchObject({ status: 422 })
        }),
        { numRuns: 5 },
      )
    },
  )

  it('every mutation and each of its inputs is one that GitHub has', () => {
    const fields = loadGithubSchema().getMutationType()!.getFields()
    for (const [name, { honours }] of Object.entries(MUTATIONS)) {
      const type = fields[name]?.args[0]?.type
      const input = type && 'ofType' in type ? type.ofType : undefined
      expect(isInputObjectType(input) && Object.keys(input.getFields())).toEqual(expect.arrayContaining([...honours]))
    }
  })

  it.each(Object.keys(MUTATIONS))('%s: unknown inputs', async (name) => {
    const root = mutationRoot(untouched, io)
    await fc.assert(
      fc.asyncProperty(strange, async (key) => {
        await expect(root[name]!.read({ input: { [key]: 'x' } })).rejects.toThrow(`${key} of ${name} is not available`)
      }),
      { numRuns: 5 },
    )
  })
})
