// The contract of every terminal, run against each of them with a stand-in for the program that it starts.
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Terminal } from '../../src/slots/terminal.ts'
import { createTempHome, type TempHome } from '../support/temp-home.ts'
import { target } from './terminal-target.ts'

const FAKE_OPENER = join(import.meta.dirname, '../fixtures/terminal/fake-opener')

export interface TerminalCase {
  name: string
  /** The program that this terminal starts; the stand-in replaces it on PATH. */
  opener: string
  create(env: NodeJS.ProcessEnv, print: (line: string) => void): Terminal
  /** What the stand-in must have received to reach the session. */
  reaches(sessionId: string): string
  /** A failing opener is an error, or the user has what they need anyway. */
  whenOpenerFails: 'throws' | 'goes on'
}

export function terminalSuite(one: TerminalCase): void {
  describe(`terminal ${one.name}`, () => {
    let temp: TempHome
    let env: NodeJS.ProcessEnv
    let printed: string[]

    beforeEach(() => {
      temp = createTempHome()
      const bin = join(temp.home, 'bin')
      mkdirSync(bin)
      copyFileSync(FAKE_OPENER, join(bin, one.opener))
      env = { ...temp.env, PATH: `${bin}:${temp.env.PATH}`, FAKE_OPENER_LOG: join(temp.home, 'log'), DISPLAY: ':0' }
      printed = []
    })
    afterEach(async () => {
      expect(await temp.cleanup()).toEqual([])
    })

    const terminal = (change: NodeJS.ProcessEnv = {}) => one.create({ ...env, ...change }, (line) => printed.push(line))
    const log = () => {
      const file = env.FAKE_OPENER_LOG!
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    }

    it('has the name that the configuration uses', () => {
      expect(terminal().name).toBe(one.name)
    })

    it('S0.58 opens the session that it is asked for', async () => {
      await terminal().openSession(target('mya-1'))
      expect(log()).toContain(`program=${one.opener}\n`)
      expect(log()).toContain(one.reaches('mya-1'))
      expect(log()).not.toContain(one.reaches('mya-2'))
    })

    it('S0.58 opens several, one after the other', async () => {
      const opened = terminal()
      const targets = [target('mya-1'), target('mya-2')]
      if (opened.openAll) await opened.openAll(targets)
      else for (const each of targets) await opened.openSession(each)
      const at = targets.map(({ session }) => log().indexOf(one.reaches(session.id)))
      expect(at[0]).toBeGreaterThanOrEqual(0)
      expect(at[1]).toBeGreaterThan(at[0]!)
    })

    it('leaves no process behind and can be used again', async () => {
      const opened = terminal()
      for (let n = 0; n < 3; n++) await opened.openSession(target('mya-1'))
      expect(log().match(/^program=/gm)).toHaveLength(3)
    })

    it(`${one.whenOpenerFails} when its program fails`, async () => {
      const opening = terminal({ FAKE_OPENER_EXIT: '7' }).openSession(target('mya-1'))
      if (one.whenOpenerFails === 'goes on') return await opening
      await expect(opening).rejects.toMatchObject({ code: 'RUNTIME_FAILED', message: expect.stringContaining('mya-1') })
    })

    it(`${one.whenOpenerFails} when its program is missing`, async () => {
      const opening = terminal({ PATH: join(temp.home, 'nothing') }).openSession(target('mya-1'))
      if (one.whenOpenerFails === 'goes on') return await opening
      await expect(opening).rejects.toMatchObject({ name: 'AoError', hint: expect.any(String) })
    })

    it('passes names on as they are, never through a shell', async () => {
      const evil = target('mya-1; touch evil')
      // Refusing is as good as passing it on.
      await terminal()
        .openSession(evil)
        .catch(() => undefined)
      expect(existsSync('evil')).toBe(false)
      expect(existsSync(join(temp.home, 'evil'))).toBe(false)
    })
  })
}
