import { expect, it } from 'vitest'
import { takeConfigOption } from './parse-arguments.ts'

it.each([
  [['--config', 'a.yaml', 'spawn', '42'], ['spawn', '42'], 'a.yaml'],
  [['spawn', '--config=a=b.yaml', '42'], ['spawn', '42'], 'a=b.yaml'],
  [['spawn'], ['spawn'], undefined],
  [['send', 'app-1', '--', '--config', 'x'], ['send', 'app-1', '--', '--config', 'x'], undefined],
])('takes the configuration out of %j', (given, argv, configPath) => {
  expect(takeConfigOption(given)).toEqual({ argv, configPath })
})
