import { describe, expect, it } from 'vitest'
import type { AttachInfo } from '../../slots/runtime.ts'
import { planAttach } from './plan-attach.ts'

const ATTACH: AttachInfo = {
  type: 'tmux',
  target: '0123456789ab-mya-1',
  command: ['tmux', '-u', '-L', 'ao', 'attach-session', '-t', '=0123456789ab-mya-1'],
  environment: { TMUX: '' },
}
const SWITCH = ['tmux', '-u', '-L', 'ao', 'switch-client', '-t', '=0123456789ab-mya-1']

describe('planAttach', () => {
  it('attaches from a plain terminal', () => {
    expect(planAttach(ATTACH, { PATH: '/bin' }, 1000)).toEqual({ command: ATTACH.command, env: { PATH: '/bin' } })
  })

  it("attaches inside the user's own tmux as if it were not there", () => {
    const env = { PATH: '/bin', TMUX: '/tmp/tmux-1000/default,123,0', TMUX_PANE: '%3' }
    expect(planAttach(ATTACH, env, 1000)).toEqual({ command: ATTACH.command, env: { PATH: '/bin' } })
  })

  it.each([
    ['the default directory', { TMUX: '/tmp/tmux-1000/ao,123,0' }, ATTACH.command],
    ['TMUX_TMPDIR', { TMUX_TMPDIR: '/run/me', TMUX: '/run/me/tmux-1000/ao,123,0' }, ATTACH.command],
    ['a comma in the path', { TMUX_TMPDIR: '/a,b', TMUX: '/a,b/tmux-1000/ao,123,0' }, ATTACH.command],
    ['-S', { TMUX: '/run/x.sock,123,0' }, ['tmux', '-S', '/run/x.sock', 'attach', '-t', '=0123456789ab-mya-1']],
  ])("switches the client that is in the session's own server already: %s", (_how, given, command) => {
    const env = { ...given, TMUX_PANE: '%3' }
    const plan = planAttach({ ...ATTACH, command }, env, 1000)
    expect(plan.command.slice(-3)).toEqual(SWITCH.slice(-3))
    expect(plan.env).toEqual(env)
  })

  it.each([
    ["another user's server of the same name", { TMUX: '/tmp/tmux-1001/ao,123,0' }, ATTACH],
    ['another runtime', { TMUX: '/tmp/tmux-1000/ao,123,0' }, { ...ATTACH, type: 'process' as const }],
    [
      'a command of another form',
      { TMUX: '/tmp/tmux-1000/ao,1,0' },
      { ...ATTACH, command: ['tmux', '-L', 'ao', 'new'] },
    ],
  ])('does not switch for %s', (_what, env, attach) => {
    expect(planAttach(attach, env, 1000)).toEqual({ command: attach.command, env: {} })
  })

  it("adds the runtime's environment", () => {
    const attach = { ...ATTACH, environment: { AO_SOCKET: '/run/x' } }
    expect(planAttach(attach, { PATH: '/bin' }, 1000).env).toEqual({ PATH: '/bin', AO_SOCKET: '/run/x' })
  })
})
