import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { target } from '../../../test/contract/terminal-target.ts'
import { createTempHome, type TempHome } from '../../../test/support/temp-home.ts'
import { silentLog } from '../../lib/log.ts'
import { plugin } from './index.ts'
import { createIterm2Terminal, TAB_SCRIPT } from './iterm2-terminal.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

it('S0.58 gives osascript the script on stdin and the session as arguments', async () => {
  const bin = join(temp.home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'osascript'), '#!/bin/sh\ncat >"$HOME/script"\nprintf "%s\\n" "$@" >"$HOME/arguments"\n')
  chmodSync(join(bin, 'osascript'), 0o755)
  const env = { ...temp.env, PATH: `${bin}:${temp.env.PATH}` }
  await createIterm2Terminal({ env, platform: 'darwin' }).openSession(target('mya-1'))
  expect(readFileSync(join(temp.home, 'script'), 'utf8')).toBe(TAB_SCRIPT)
  expect(readFileSync(join(temp.home, 'arguments'), 'utf8').split('\n').slice(0, 3)).toEqual([
    '-',
    '0123456789ab-mya-1',
    'mya-1',
  ])
})

it.each(['linux', 'win32'] as const)(
  'S0.58 says on %s that it is for macOS, and what to do instead',
  async (platform) => {
    const opening = createIterm2Terminal({ env: temp.env, platform }).openSession(target('mya-1'))
    await expect(opening).rejects.toMatchObject({
      code: 'TOOL_MISSING',
      message: expect.stringContaining('macOS only'),
      hint: 'Attach here with: ao session attach mya-1',
    })
  },
)

it('refuses options that it does not have', () => {
  const context = { home: temp.home, env: temp.env, log: silentLog, configDir: temp.home, dataDir: temp.home }
  expect(() => plugin.create({ profile: 'x' }, context)).toThrow('has no option profile')
})
