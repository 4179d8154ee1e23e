// `ao top`, and `ao` alone on a terminal: what needs you, the sessions, their pull requests and the train, as the page shows them.
import { AoError } from '../../../contract/errors.ts'
import { silentLog } from '../../../lib/log.ts'
import { defineCommand } from '../../command.ts'
import type { Io } from '../../print/io.ts'

export const topCommand = defineCommand({
  name: 'top',
  about: 'Open the board in the terminal',
  details: '? lists the keys.',
  options: { linear: { about: 'Lines and words instead of a screen; also where TERM is dumb' } },
  async run({ options }, io) {
    if (!io.isTerminal || !io.stdin.isTTY)
      throw new AoError('USAGE', 'The board needs a terminal', { hint: 'Without one: ao status, or ao next' })
    return open(io, options.linear)
  },
})

/** null: there is nothing here to show. */
export async function openAlone(io: Io): Promise<number | null> {
  try {
    return await open(io, false)
  } catch (error) {
    if (error instanceof AoError && error.code === 'CONFIG_NOT_FOUND') return null
    throw error
  }
}

/** Outside of any repository: the only one that has sessions. Throws why there is none. */
async function onlyConfig(error: unknown, io: Io): Promise<string> {
  if (!(error instanceof AoError) || error.code !== 'CONFIG_NOT_FOUND') throw error
  if (io.configPath !== undefined || io.env.AO_CONFIG_PATH) throw error
  const [{ recordedConfigs }, { resolveDataDir }] = await Promise.all([
    import('../../../store/moved-data.ts'),
    import('../../../lib/process/own-home.ts'),
  ])
  const [configPath, ...others] = recordedConfigs(resolveDataDir(io.home, io.env))
  if (configPath === undefined) throw error
  if (others.length === 0) return configPath
  throw new AoError(error.code, 'Several repositories have sessions, and the board shows one', {
    hint: `Open it in one of them, or: ao top --config ${configPath}`,
  })
}

async function open(io: Io, linear: boolean): Promise<number> {
  const { openAo } = await import('../open-ao.ts')
  // A line of the log would be written across the board, which says itself what is wrong.
  const ao = await openAo(io, undefined, silentLog).catch(async (error: unknown) => {
    const configPath = await onlyConfig(error, io)
    return openAo({ ...io, configPath }, undefined, silentLog)
  })
  if (linear || io.env.TERM === 'dumb') return (await import('./linear-board.ts')).runLinear(ao, io)
  return (await import('./run-board.ts')).runBoard(ao, io)
}
