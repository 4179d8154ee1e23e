import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTempHome, type TempHome } from '../../test/support/temp-home.ts'
import { AoError } from '../contract/errors.ts'
import { findConfig } from './find-config.ts'

let temp: TempHome
beforeEach(() => {
  temp = createTempHome()
})
afterEach(async () => {
  expect(await temp.cleanup()).toEqual([])
})

const touch = (path: string): string => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'projects: {}\n')
  return path
}
const at = (...parts: string[]) => join(temp.home, ...parts)
const find = (options: { path?: string; cwd?: string; env?: NodeJS.ProcessEnv } = {}) =>
  findConfig({ cwd: temp.home, home: temp.home, ...options, env: { ...temp.env, ...options.env } })

describe('findConfig', () => {
  it('finds the file in the current directory and above it', () => {
    const path = touch(at('work', 'agent-orchestrator.yaml'))
    mkdirSync(at('work', 'a', 'b'), { recursive: true })
    expect(find({ cwd: at('work') })).toEqual({ path, how: 'above' })
    expect(find({ cwd: at('work', 'a', 'b') })).toEqual({ path, how: 'above' })
  })

  it('takes .yaml before .yml, and the nearest directory before both', () => {
    touch(at('agent-orchestrator.yaml'))
    const near = touch(at('work', 'agent-orchestrator.yml'))
    expect(find({ cwd: at('work') }).path).toBe(near)
    const yaml = touch(at('work', 'agent-orchestrator.yaml'))
    expect(find({ cwd: at('work') }).path).toBe(yaml)
  })

  it('takes a named file before everything, and a directory for the file inside', () => {
    const above = touch(at('agent-orchestrator.yaml'))
    const named = touch(at('other', 'mine.yaml'))
    expect(find({ path: named, env: { AO_CONFIG_PATH: above } })).toEqual({ path: named, how: 'named' })
    expect(find({ path: 'other/mine.yaml' }).path).toBe(named)
    expect(find({ path: temp.home }).path).toBe(above)
  })

  it('takes AO_CONFIG_PATH before the directories above', () => {
    touch(at('agent-orchestrator.yaml'))
    const path = touch(at('elsewhere', 'agent-orchestrator.yaml'))
    expect(find({ env: { AO_CONFIG_PATH: path } })).toEqual({ path, how: 'environment' })
  })

  it('does not fall back to another configuration when the named one is gone', () => {
    touch(at('agent-orchestrator.yaml'))
    expect(() => find({ path: at('gone.yaml') })).toThrow(`There is no configuration at ${at('gone.yaml')}`)
    expect(() => find({ env: { AO_CONFIG_PATH: at('gone.yaml') } })).toThrow('AO_CONFIG_PATH')
  })

  it('falls back to the global configuration: XDG_CONFIG_HOME, then ~/.config', () => {
    const home = touch(at('.config', 'agent-orchestrator', 'config.yaml'))
    expect(find({ env: { XDG_CONFIG_HOME: at('xdg') } })).toEqual({ path: home, how: 'global' })
    const xdg = touch(at('xdg', 'agent-orchestrator', 'config.yaml'))
    expect(find({ env: { XDG_CONFIG_HOME: at('xdg') } })).toEqual({ path: xdg, how: 'global' })
    const named = touch(at('my.yaml'))
    expect(find({ env: { AO_GLOBAL_CONFIG: named } })).toEqual({ path: named, how: 'global' })
  })

  it('reports where it searched when there is none', () => {
    const error = catchError(() => find())
    expect(error).toBeInstanceOf(AoError)
    expect(error.code).toBe('CONFIG_NOT_FOUND')
    expect(error.message).toContain(temp.home)
    expect(error.message).toContain(at('.config', 'agent-orchestrator', 'config.yaml'))
    expect(error.hint).toBe('Create one with: ao init')
  })

  it('passes over a directory and a broken link of that name', () => {
    mkdirSync(at('work', 'agent-orchestrator.yaml'), { recursive: true })
    symlinkSync(at('nowhere'), at('work', 'agent-orchestrator.yml'))
    expect(() => find({ cwd: at('work') })).toThrow('There is no agent-orchestrator.yaml')
  })
})

function catchError(action: () => unknown): AoError {
  try {
    action()
  } catch (error) {
    return error as AoError
  }
  throw new Error('nothing was thrown')
}
