import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { createTempHome } from '../../../test/support/temp-home.ts'
import { describedRoutes } from '../../agh/daemon/routes/routes.ts'
import { aghPaths } from '../../agh/paths.ts'
import { agentFile, describeAgent, heartbeatFile } from '../../agh/setup/agents.ts'
import { readDocument } from '../../agh/setup/front-matter.ts'
import { aghConfigSchema } from '../../contract/agh/config.ts'
import { heartbeatSchema } from '../../contract/agh/heartbeat.ts'
import { loadGroups } from '../command-table.ts'
import { COMMANDS } from './commands.ts'
import { renderReference } from './docs.ts'

const DOCS = join(import.meta.dirname, '..', '..', '..', 'docs')
const routes = describedRoutes()

describe('the documentation of agh', () => {
  it('docs/agh-reference.md is what the tables say; write it again with: node dist/agh.js __docs > docs/agh-reference.md', async () => {
    const file = readFileSync(join(DOCS, 'agh-reference.md'), 'utf8')
    expect(file).toBe(renderReference(await loadGroups(COMMANDS), routes))
  })

  const blocks = (language: string) =>
    [
      ...readFileSync(join(DOCS, 'agh.md'), 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g')),
    ].map(([, text]) => text!)

  it('docs/agh.md shows the configuration with all its defaults, and lists that are right', () => {
    const [defaults, lists] = blocks('toml').map((text) => parse(text))
    const { hooks, mcp_servers, ...settings } = aghConfigSchema.parse({})
    expect([hooks, mcp_servers]).toEqual([[], []])
    expect(defaults).toEqual(settings)
    expect(aghConfigSchema.parse(lists)).toMatchObject({ hooks: [{}], mcp_servers: [{ name: 'files' }] })
  })

  it('docs/agh.md shows an AGENT.md and a HEARTBEAT.md that are right', async () => {
    const temp = createTempHome()
    const [agent, heartbeat] = blocks('markdown')
    const paths = aghPaths({}, temp.home)
    mkdirSync(dirname(agentFile(paths, 'shown')), { recursive: true })
    writeFileSync(agentFile(paths, 'shown'), agent!)
    writeFileSync(heartbeatFile(paths, 'shown'), heartbeat!)
    expect(await describeAgent({ paths, env: {} }, 'shown')).toMatchObject({
      mcp_servers: ['files', 'search'],
      has_instructions: true,
      problem: 'claude-agent-acp is not on the PATH',
    })
    expect(await readDocument(heartbeatFile(paths, 'shown'), heartbeatSchema)).toMatchObject({
      settings: { preferences: { min_interval: '1h' } },
      body: expect.stringContaining('CI'),
    })
    expect(await temp.cleanup()).toEqual([])
  })

  it('docs/agh.md names commands and routes that exist', () => {
    const text = readFileSync(join(DOCS, 'agh.md'), 'utf8')
    const names = COMMANDS.map(({ name }) => name)
    for (const [line] of text.matchAll(/^agh [a-z].*$/gm)) {
      expect(
        names.some((name) => line === `agh ${name}` || line.startsWith(`agh ${name} `)),
        line,
      ).toBe(true)
    }
    const listed = routes.map(({ method, path }) => `${method} ${path}`)
    for (const [, route] of text.matchAll(/`((?:GET|POST|PATCH|DELETE) \/api[^`\s?]*)/g))
      expect(listed).toContain(route)
  })
})
