// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { loadConfig } from './load-config.ts'
import { showConfig } from './show-config.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
  delete temp.env.AO_PORT
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

describe('showConfig', () => {
  it('shows what is in effect, and hides what is secret', () => {
    const path = join(temp.home, 'agent-orchestrator.yaml')
    writeFileSync(
      path,
      [
        'projects:',
        '  app:',
        '    path: ${ROOT}/app',
        '    defaultBranch: dev',
        '    agentConfig:',
        '      model: ${MODEL:-small}',
        '      env: { OPENAI_API_KEY: sk-literal, MODE: fast, TOKEN: "${TOKEN}" }',
        '    tracker: { plugin: linear, apiKey: "lin-$${literal", team: core }',
        'notifiers:',
        '  chat: { plugin: slack, webhook: { url: "https://example.invalid/abc" } }',
      ].join('\n'),
    )
    const env = { ...temp.env, ROOT: '/srv', TOKEN: 'hunter2' }
    const shown = showConfig(loadConfig({ path, home: temp.home, env }))
    expect(shown).toMatchObject({
      configPath: path,
      port: 3000,
      projects: {
        app: {
          id: 'app',
          sessionPrefix: 'app',
          path: '${ROOT}/app',
          defaultBranch: 'dev',
          agentConfig: {
            model: '${MODEL:-small}',
            env: { OPENAI_API_KEY: '[hidden]', MODE: 'fast', TOKEN: '${TOKEN}' },
          },
          tracker: { plugin: 'linear', apiKey: '[hidden]', team: 'core' },
        },
      },
      notifiers: { chat: { webhook: { url: '[hidden]' } } },
    })
    expect(shown).not.toHaveProperty('source')
    expect(JSON.stringify(shown)).not.toMatch(/hunter2|literal|abc/)
  })
})
