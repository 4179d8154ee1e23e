// The connection to agh's daemon: started when something is to be created or an agent outlived it, and otherwise only queried.
import { existsSync } from 'node:fs'
import { type AnswerOf, type AskArguments, type Call, callDaemon, type RouteName } from '../../agh/client.ts'
import { daemonProcess } from '../../agh/daemon/daemon-file.ts'
import { steadyStatus } from '../../agh/daemon/daemon-status.ts'
import { startDaemon } from '../../agh/daemon/start-daemon.ts'
import { type AghPaths, aghPaths } from '../../agh/paths.ts'
import { AoError } from '../../contract/errors.ts'
import type { PluginContext } from '../../slots/plugin.ts'

export interface DaemonLink {
  paths: AghPaths
  call: Call
  /** The daemon is running when this resolves. */
  ensure(): Promise<void>
  /** Concurrent identical queries are sent once. */
  callOnce: Call
}

export function createLink({ env, home }: Pick<PluginContext, 'env' | 'home'>): DaemonLink {
  const paths = aghPaths(env, home)
  const requests = new Map<string, Promise<unknown>>()
  const call: Call = (name, ...ask) => callDaemon(paths.socket, name, ...ask)
  return {
    paths,
    call,
    async ensure() {
      if (!(await steadyStatus(paths))) await startDaemon(paths, daemonEnvironment(env))
    },
    callOnce<N extends RouteName>(name: N, ...ask: AskArguments<N>) {
      const key = `${name} ${JSON.stringify(ask)}`
      const pending = requests.get(key) as Promise<AnswerOf<N>> | undefined
      const question = pending ?? call(name, ...ask).finally(() => requests.delete(key))
      requests.set(key, question)
      return question
    },
  }
}

/** The daemon outlives the ao session that happens to start it, and must not look like part of it. */
function daemonEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !/^(AO_(?!HOME$)|AGH_SESSION|AGH_AGENT$|TMUX)/.test(name))
  return Object.fromEntries(kept)
}

export function isNotRunning(error: unknown): boolean {
  return error instanceof AoError && error.code === 'DAEMON_NOT_RUNNING'
}

/** An unresponsive daemon is certainly gone when the process that wrote its file is. Its agents may have outlived it. */
export function daemonIsGone(paths: AghPaths): boolean {
  const state = daemonProcess(paths)
  // A daemon that stopped properly removed its file.
  return state === 'dead' || state === 'left' || (state === 'none' && !existsSync(paths.daemonFile))
}
