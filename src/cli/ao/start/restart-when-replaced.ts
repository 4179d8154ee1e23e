// An upgrade of ao under its running loop: the loop becomes the new version, in the same process, so that a terminal, a
// service manager and the log file keep it.
import { fileURLToPath } from 'node:url'
import { exec } from '../../../lib/exec.ts'
import { ownFiles, rememberOwnFiles, watchOwnFiles } from '../../../lib/process/own-files.ts'
import { currentProcess, formatIdentity } from '../../../lib/process/process-identity.ts'
import { changeMembers, type Member, readMembers, withMember } from '../../../lifecycle/loop/members.ts'

export interface Restart {
  /** Call it when everything is shut down; returns when there is nothing to restart. */
  ifReplaced(): Promise<void>
}

export function restartWhenReplaced(options: {
  home: string
  end(): void
  say(line: string): void
  stop: AbortSignal
}): Restart {
  const entry = process.argv[1]
  let members: Member[] | null = null
  if (entry !== undefined) {
    rememberOwnFiles(entry, [fileURLToPath(import.meta.url)])
    watchOwnFiles({
      stop: options.stop,
      onChange: (now) => options.say(DESCRIBED[now]),
      // A version that does not even start would leave nobody watching.
      works: async () =>
        process.execve !== undefined && (await exec(process.execPath, [entry, 'start', '--help'])).exitCode === 0,
      onReplaced() {
        members = ownMembers(options.home)
        options.end()
      },
    })
  }
  return {
    async ifReplaced() {
      if (members === null || ownFiles() !== 'replaced') return
      // The process stays the same one: the other repositories that it watched find it again.
      for (const member of members) await changeMembers(options.home, withMember(member))
      process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], process.env)
    },
  }
}

function ownMembers(home: string): Member[] {
  const me = formatIdentity(currentProcess())
  return readMembers(home).filter(({ process, leaving }) => process === me && !leaving)
}

const DESCRIBED = {
  same: 'its own files are back',
  replaced: 'another version of ao was installed: the loop restarts with it',
  gone: 'its own files are gone; it restarts when another version of ao takes their place. By hand: ao stop && ao start',
} as const
