// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders are the subject
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { AoError } from '../contract/errors.ts'
import { hashConfigDir } from '../lib/process/own-home.ts'
import { readConfig } from './find-config.ts'
import { loadConfig } from './load-config.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
  delete temp.env.AO_PORT
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

function write(text: string, directory = temp.home): string {
  mkdirSync(directory, { recursive: true })
  const path = join(directory, 'agent-orchestrator.yaml')
  writeFileSync(path, text)
  return path
}

function load(text: string, env: NodeJS.ProcessEnv = {}) {
  return loadConfig({ path: write(text), home: temp.home, env: { ...temp.env, ...env } })
}

function failure(text: string, env: NodeJS.ProcessEnv = {}): AoError {
  try {
    load(text, env)
  } catch (error) {
    expect(error).toBeInstanceOf(AoError)
    return error as AoError
  }
  throw new Error('the configuration was accepted')
}

const problems = (text: string, env?: NodeJS.ProcessEnv) =>
  failure(text, env).details.problems as Array<Record<string, unknown>>

describe('what a small file becomes', () => {
  it('S2.4 loadConfig() without arguments reads the configuration of the current directory', () => {
    write('projects:\n  app:\n    path: ./app\n')
    const script = `import { loadConfig } from ${JSON.stringify(join(import.meta.dirname, 'load-config.ts'))}
      process.stdout.write(JSON.stringify(loadConfig()))`
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: temp.home,
      env: temp.env,
      encoding: 'utf8',
    })
    expect(JSON.parse(out)).toMatchObject({ configPath: join(temp.home, 'agent-orchestrator.yaml') })
  })

  it('S0.85 S2.9 fills in defaults', () => {
    const config = load('projects:\n  integrator:\n    path: ./app\n')
    expect(config).toMatchObject({ port: 3000, readyThresholdMs: 300_000, plugins: {} })
    expect(config.defaults).toMatchObject({ agent: 'claude-code', workspace: 'worktree' })
    expect(config.projects.integrator).toEqual({
      id: 'integrator',
      name: 'integrator',
      path: join(temp.home, 'app'),
      sessionPrefix: 'int',
      defaultBranch: 'main',
    })
  })

  it('S0.85 takes readyThresholdMs from the file', () => {
    expect(load('readyThresholdMs: 60000\nprojects: {}\n').readyThresholdMs).toBe(60_000)
  })

  it('S2.9 uses tmux where it is on PATH and process elsewhere', () => {
    const bin = join(temp.home, 'bin')
    mkdirSync(bin)
    const without = load('projects: {}\n', { PATH: bin })
    expect(without.defaults.runtime).toBe('process')
    writeFileSync(join(bin, 'tmux'), '#!/bin/sh\n')
    expect(load('projects: {}\n', { PATH: bin }).defaults.runtime).toBe('process')
    chmodSync(join(bin, 'tmux'), 0o755)
    expect(load('projects: {}\n', { PATH: bin }).defaults.runtime).toBe('tmux')
    expect(load('defaults: { runtime: process }\nprojects: {}\n', { PATH: bin }).defaults.runtime).toBe('process')
  })

  it('S1.107 a plugin named for a slot is the default of that slot and keeps its options', () => {
    const config = load(
      'plugins:\n  workspace:\n    name: clone\n    config:\n      worktreeDir: ~/code/.worktrees\nprojects: {}\n',
    )
    expect(config.defaults.workspace).toBe('clone')
    expect(config.plugins.workspace?.config).toEqual({ worktreeDir: '~/code/.worktrees' })
  })

  it.each([
    ['~/code/app', 'code/app'],
    ['~', ''],
    ['.', ''],
    ['../x/app', '../x/app'],
    ['sub/', 'sub'],
  ])('resolves the project path %s', (path, expected) => {
    expect(load(`projects:\n  app:\n    path: ${JSON.stringify(path)}\n`).projects.app?.path).toBe(
      join(temp.home, expected).replace(/\/$/, ''),
    )
  })

  it('keeps an absolute project path', () => {
    expect(load('projects:\n  app:\n    path: /srv/app\n').projects.app?.path).toBe('/srv/app')
  })

  it('S1.22 sessionPrefix overrides the derived prefix', () => {
    const config = load('projects:\n  my-service:\n    path: .\n    sessionPrefix: svc\n')
    expect(config.projects['my-service']?.sessionPrefix).toBe('svc')
  })

  it.each(['app', 'api', 'web'])('S0.83 takes the prefix %s', (prefix) => {
    const config = load(`projects:\n  long-name:\n    path: .\n    sessionPrefix: ${prefix}\n`)
    expect(config.projects['long-name']?.sessionPrefix).toBe(prefix)
  })

  it('says skip for the old word permissionless, and nothing where the file says nothing', () => {
    const config = load(
      'projects:\n  app:\n    path: .\n    agentConfig: { permissions: permissionless }\n    worker: { agentConfig: { model: m } }\n',
    )
    expect(config.projects.app?.agentConfig?.permissions).toBe('skip')
    expect(config.projects.app?.worker?.agentConfig).toEqual({ model: 'm' })
  })

  it('S1.11 is the same configuration through a symbolic link', () => {
    const path = write('projects: {}\n', join(temp.home, 'real'))
    symlinkSync(join(temp.home, 'real'), join(temp.home, 'link'))
    symlinkSync(path, join(temp.home, 'other.yaml'))
    for (const name of [join(temp.home, 'link', 'agent-orchestrator.yaml'), join(temp.home, 'other.yaml')]) {
      expect(loadConfig({ path: name, home: temp.home, env: temp.env }).configPath).toBe(path)
    }
    expect(hashConfigDir(join(temp.home, 'link'))).toBe(hashConfigDir(join(temp.home, 'real')))
  })

  it('merges YAML anchors', () => {
    const config = load(
      'projects:\n  one: &base\n    path: ./one\n    agent: codex\n  two:\n    <<: *base\n    path: ./two\n',
    )
    expect(config.projects.two).toMatchObject({ path: join(temp.home, 'two'), agent: 'codex' })
  })
})

describe('what is wrong with a file', () => {
  it('names file, line, column and key, and what was perhaps meant', () => {
    const error = failure('projects:\n  app:\n    path: .\n    defualtBranch: dev\n')
    expect(error.code).toBe('CONFIG_INVALID')
    expect(error.message).toContain(
      'agent-orchestrator.yaml:4:5 projects.app.defualtBranch: unknown key; did you mean defaultBranch?',
    )
    expect(error.details).toEqual({
      file: join(temp.home, 'agent-orchestrator.yaml'),
      total: 1,
      problems: [
        { key: 'projects.app.defualtBranch', line: 4, column: 5, message: 'unknown key', suggestion: 'defaultBranch' },
      ],
    })
  })

  it('reports all problems at once, in the order of the file', () => {
    const found = problems(
      [
        'port: high',
        'readyThresholdMs: -1',
        'defaults:',
        '  agnet: codex',
        'projects:',
        '  app:',
        '    defaultBranch: 1.0',
        '    sessionPrefix: -x',
        '    workspace: 3',
        '    postCreate: npm ci',
        '    agentConfig:',
        '      permissions: skipp',
        '      modle: x',
        '    reactions:',
        '      ci-failed: { action: notfy, retries: 1.5, escalateAfter: 5d, threshold: soon }',
        'plugins:',
        '  external:',
        '    - enabled: true',
        '    - { package: a, path: b }',
      ].join('\n'),
    )
    expect(found.map(({ line, key, message, suggestion }) => [line, key, message, suggestion])).toEqual([
      [1, 'port', 'must be a number', undefined],
      [2, 'readyThresholdMs', 'must be 0 or more', undefined],
      [4, 'defaults.agnet', 'unknown key', 'agent'],
      [6, 'projects.app.path', 'is missing', undefined],
      [7, 'projects.app.defaultBranch', 'must be text; put it in quotes', undefined],
      [8, 'projects.app.sessionPrefix', expect.stringContaining('does not begin with -'), undefined],
      [9, 'projects.app.workspace', expect.stringContaining('the name of a plugin'), undefined],
      [10, 'projects.app.postCreate', 'must be a list', undefined],
      [12, 'projects.app.agentConfig.permissions', expect.stringContaining('skip, auto-edit'), 'skip'],
      [13, 'projects.app.agentConfig.modle', 'unknown key', 'model'],
      [15, 'projects.app.reactions.ci-failed.action', expect.stringContaining('send-to-agent'), 'notify'],
      [15, 'projects.app.reactions.ci-failed.retries', 'must be a whole number', undefined],
      [15, 'projects.app.reactions.ci-failed.escalateAfter', expect.stringContaining('30m'), undefined],
      [15, 'projects.app.reactions.ci-failed.threshold', expect.stringContaining('30m'), undefined],
      [18, 'plugins.external[0]', 'needs either `package` or `path`', undefined],
      [19, 'plugins.external[1]', 'needs either `package` or `path`', undefined],
    ])
  })

  it.each([
    ['an unknown reaction', 'reactions:\n  ci-faild: {}\nprojects: {}\n', 'ci-failed'],
    ['an unknown slot', 'plugins:\n  workspaces: { name: x }\nprojects: {}\n', 'workspace'],
    ['an unknown key at the top', 'project:\n  app: { path: . }\n', 'projects'],
  ])('suggests the right word for %s', (_what, text, suggestion) => {
    expect(problems(text)).toContainEqual(expect.objectContaining({ suggestion }))
  })

  it.each([
    ['an empty file', '', 'projects: is missing'],
    ['only a comment', '# nothing\n', 'projects: is missing'],
    ['a list', '- a\n', 'must be a group of keys'],
    ['a text', 'hello\n', 'must be a group of keys'],
    ['projects without content', 'projects:\n', 'must be a group of keys, but nothing is there'],
    ['a project without content', 'projects:\n  app:\n', 'projects.app: must be a group of keys, but nothing is there'],
    ['a project id that is no safe name', 'projects:\n  a b: { path: . }\n', 'may hold letters, digits'],
    ['a project id that would be an option', 'projects:\n  -a: { path: . }\n', 'does not begin with -'],
    ['a project id that is no name', 'projects: { __proto__: { path: . } }\n', 'projects.__proto__: cannot be a name'],
    ['a name that is none', 'projects: {}\naccounts: { __proto__: {} }\n', 'accounts.__proto__: cannot be a name'],
    ['an empty path', 'projects:\n  a: { path: "" }\n', 'must not be empty'],
    ['the home of somebody else', 'projects:\n  a: { path: "~bob/x" }\n', 'not ~user'],
    ['a port out of range', 'port: 70000\nprojects: {}\n', 'must be 65535 or less'],
    [
      'a time zone that does not exist',
      "projects:\n  a: { path: ., landing: { freeze: [{ from: 'Fri 16:00', to: 'Mon 08:00', timezone: Europe/Berln }] } }\n",
      'timezone: must be a time zone, such as Europe/Berlin',
    ],
    [
      'a time zone of a schedule that does not exist',
      "projects:\n  a: { path: ., schedules: { tidy: { when: '0 3 * * *', prompt: tidy, timezone: Europe/Berln } } }\n",
      'timezone: must be a time zone, such as Europe/Berlin',
    ],
    ['bad YAML', 'projects: [\n', 'agent-orchestrator.yaml:2:1'],
    [
      'a key given twice',
      'projects: {}\nprojects: {}\n',
      'agent-orchestrator.yaml:2:1 the key projects is given twice',
    ],
    ['two documents', 'projects: {}\n---\nprojects: {}\n', 'multiple documents'],
    ['a tag of its own', 'projects: !!binary aGk=\n', 'Unresolved tag'],
    ['a variable where no text belongs', 'port: ${PORT}\nprojects: {}\n', 'variables work in texts only'],
  ])('explains %s', (_what, text, message) => {
    expect(failure(text).message).toContain(message)
  })

  it('says it in its own words, also in a process whose other packages have words for all schemas', () => {
    z.config(english())
    try {
      expect(failure('port: 70000\nprojects: {}\n').message).toContain('must be 65535 or less')
    } finally {
      z.config({ localeError: undefined } as never)
    }
  })

  it('is bounded, however much is wrong', () => {
    const error = failure(`projects: {}\n${Array.from({ length: 500 }, (_, i) => `wrong${i}: 1`).join('\n')}\n`)
    expect(error.details.total).toBe(500)
    expect(error.details.problems).toHaveLength(20)
    expect(error.message).toContain('and 480 more')
  })

  it('refuses two projects with the same prefix and names both', () => {
    const error = failure('projects:\n  my-app:\n    path: ./a\n  mobile-api:\n    path: ./b\n')
    expect(error.message).toContain('projects my-app and mobile-api both have the session prefix ma')
    expect(error.message).toContain('agent-orchestrator.yaml:4:3')
  })

  it('explains a file that is too large', () => {
    expect(failure(`# ${'x'.repeat(1024 * 1024)}\n`).message).toContain('is larger than')
  })

  it('explains a file that went away or may not be read', () => {
    const path = join(temp.home, 'gone.yaml')
    expect(() => readConfig(path)).toThrow(`${path} cannot be read: ENOENT`)
  })

  it('does not block on a named pipe or read a device', () => {
    const pipe = join(temp.home, 'agent-orchestrator.yaml')
    execFileSync('mkfifo', [pipe])
    symlinkSync('/dev/zero', join(temp.home, 'zero.yaml'))
    for (const path of [pipe, join(temp.home, 'zero.yaml')]) {
      expect(() => loadConfig({ path, home: temp.home, env: temp.env })).toThrow('not a plain file')
    }
  })
})

describe('environment variables in a file', () => {
  const project = (line: string) => `projects:\n  app:\n    path: .\n    ${line}\n`

  it('puts their values into texts, with defaults and escapes', () => {
    const config = load(
      project('agentConfig: { model: "${MODEL}", env: { A: "${NONE:-fallback}", B: "$${KEPT}", C: "x${MODEL}y" } }'),
      { MODEL: 'big' },
    )
    expect(config.projects.app?.agentConfig).toEqual({
      model: 'big',
      env: { A: 'fallback', B: '${KEPT}', C: 'xbigy' },
    })
  })

  it('leaves keys alone', () => {
    const config = load(project('agentConfig: { env: { "${KEY}": value } }'), { KEY: 'x' })
    expect(config.projects.app?.agentConfig?.env).toEqual({ '${KEY}': 'value' })
  })

  it('leaves commands and rules alone: a shell expands its own variables', () => {
    const config = load(project('postCreate: ["echo ${USER}"]\n    agentRules: "use `${x}`"'))
    expect(config.projects.app).toMatchObject({ postCreate: ['echo ${USER}'], agentRules: 'use `${x}`' })
  })

  it('names file, line, key and variable when one is not set', () => {
    const found = problems(project('agentConfig: { model: "${MODEL}" }'))
    expect(found).toEqual([
      {
        key: 'projects.app.agentConfig.model',
        line: 4,
        column: 20,
        message: 'the environment variable MODEL is not set; set it, or give a default: ${MODEL:-default}',
      },
    ])
  })

  it('does not guess what a malformed one means', () => {
    expect(problems(project('agentConfig: { model: "${A-B}" }'))[0]?.message).toBe(
      '${A-B} is not a variable; write $${ for a literal ${',
    )
  })

  it('keeps the literal text of the file beside the values', () => {
    const config = load(project('agentConfig: { model: "${MODEL}" }'), { MODEL: 'big' })
    expect(config.source?.projects.app?.agentConfig?.model).toBe('${MODEL}')
  })
})
