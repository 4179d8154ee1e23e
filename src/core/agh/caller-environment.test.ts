import { describe, expect, it } from 'vitest'
import { aghConfigSchema } from '../../contract/agh/config.ts'
import { callerEnvironment } from './caller-environment.ts'

const { allow } = aghConfigSchema.parse({}).environment

describe('the environment of a session', () => {
  it('has what the caller has, where that is allowed', () => {
    const daemon = { HOME: '/home/me', PATH: '/bin', EDITOR: 'vi' }
    const caller = {
      PATH: '/venv/bin:/bin',
      VIRTUAL_ENV: '/venv',
      FOO_API_KEY: 'k',
      EDITOR: 'emacs',
      LD_PRELOAD: 'x.so',
    }
    expect(callerEnvironment(daemon, caller, allow)).toEqual({
      HOME: '/home/me',
      EDITOR: 'vi',
      PATH: '/venv/bin:/bin',
      VIRTUAL_ENV: '/venv',
      FOO_API_KEY: 'k',
    })
  })

  it('has not what only the command had that started the daemon', () => {
    const daemon = { PATH: '/other/bin', VIRTUAL_ENV: '/other', OPENAI_API_KEY: 'of another terminal' }
    expect(callerEnvironment(daemon, { PATH: '/bin' }, allow)).toEqual({ PATH: '/bin' })
  })

  it('accepts no variables of agh or ao from a caller, whatever is allowed', () => {
    const caller = { AGH_SESSION_TOKEN: 'stolen', AO_DATA_DIR: '/x', PLAIN: 'yes' }
    expect(callerEnvironment({ AGH_HOME: '/a' }, caller, ['*'])).toEqual({ AGH_HOME: '/a', PLAIN: 'yes' })
  })

  it.each([
    ['LC_*', 'LC_ALL', true],
    ['LC_*', 'XLC_ALL', false],
    ['*_KEY', 'A_KEY', true],
    ['*_KEY', 'A_KEYS', false],
    ['TZ', 'TZ', true],
    ['TZ', 'TZDIR', false],
  ])('%s allows %s: %s', (pattern, name, expected) => {
    expect(Object.hasOwn(callerEnvironment({}, { [name]: 'x' }, [pattern]), name)).toBe(expected)
  })
})
