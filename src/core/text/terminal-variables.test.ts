import { describe, expect, it } from 'vitest'
import { withoutCallersTerminal } from './terminal-variables.ts'

describe('withoutCallersTerminal', () => {
  it('drops what describes the terminal of the caller and sets the directory', () => {
    const environment = { HOME: '/h', TERM: 'dumb', TMUX: 'outer', COLUMNS: '40', COLORTERM: 'truecolor', PWD: '/old' }
    expect(withoutCallersTerminal(environment, '/w')).toEqual({ HOME: '/h', COLORTERM: 'truecolor', PWD: '/w' })
  })
})
