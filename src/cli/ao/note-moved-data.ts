// Sessions of a moved configuration: reported where a person would otherwise read that there are none.
import { plural } from '../../core/text/format-age.ts'
import { findMovedData, type MovedData } from '../../store/moved-data.ts'
import type { Io } from '../print/io.ts'
import type { Ao } from './open-ao.ts'

export function noteMovedData({ config, paths }: Pick<Ao, 'config' | 'paths'>, io: Io): void {
  for (const data of findMovedData(paths, Object.keys(config.projects))) {
    io.note(`${io.noteStyle.yellow('warning:')} ${describeMovedData(data)}`)
    io.note(`${io.noteStyle.cyan('hint:')} If it was moved here, take its sessions along with: ao config relink`)
  }
}

export function describeMovedData({ origin, projects }: MovedData): string {
  const ids = projects.flatMap(({ sessions }) => sessions)
  const shown = `${ids.slice(0, 5).join(', ')}${ids.length > 5 ? ', …' : ''}`
  return `${origin} no longer exists, and has ${plural(ids.length, 'session')}: ${shown}`
}
