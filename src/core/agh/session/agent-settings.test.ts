import { describe, expect, it } from 'vitest'
import { planSettings, readOffers, updateOffers } from './agent-settings.ts'

const OFFERED = {
  modes: {
    currentModeId: 'ask',
    availableModes: [
      { id: 'ask', name: 'Ask first' },
      { id: 'plan', name: 'Plan' },
    ],
  },
  configOptions: [
    {
      id: 'which',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: 'small',
      options: [
        { group: 'old', name: 'Old', options: [{ value: 'small', name: 'Small' }] },
        { group: 'new', name: 'New', options: [{ value: 'large-2', name: 'Large' }] },
      ],
    },
    { id: 'fast', name: 'Fast', type: 'boolean', currentValue: false },
  ],
}
const offers = readOffers(OFFERED)
const option = (configId: string, value: string) => ({
  method: 'session/set_config_option',
  params: { configId, value },
})

describe('settings of an agent', () => {
  it.each([
    ['a mode by its id', { mode: 'plan' }, [{ method: 'session/set_mode', params: { modeId: 'plan' } }]],
    ['a mode by its name', { mode: 'ask FIRST' }, [{ method: 'session/set_mode', params: { modeId: 'ask' } }]],
    ['a model, whatever its option is called', { model: 'Large' }, [option('which', 'large-2')]],
    ['an option by its id', { options: { which: 'small' } }, [option('which', 'small')]],
    [
      'a switch',
      { options: { fast: 'true' } },
      [{ method: 'session/set_config_option', params: { configId: 'fast', type: 'boolean', value: true } }],
    ],
    ['nothing', {}, []],
  ])('choose %s', (_name, wanted, steps) => {
    expect(planSettings(offers, wanted)).toEqual(steps)
  })

  it('choose a mode among the options of an agent that has no modes of the older kind', () => {
    const modes = { id: 'mode', category: 'mode', type: 'select', options: [{ value: 'plan', name: 'Plan' }] }
    expect(planSettings(readOffers({ configOptions: [modes] }), { mode: 'plan' })).toEqual([option('mode', 'plan')])
  })

  it.each([
    ['a mode', { mode: 'yolo' }, 'It offers: ask, plan'],
    ['a model', { model: 'huge' }, 'It offers: small, large-2'],
    ['a switch that is neither on nor off', { options: { fast: 'maybe' } }, 'It offers: true, false'],
    ['an option', { options: { colour: 'red' } }, 'It has: which, fast'],
  ])('refuse %s that is not offered, and say what is', (_name, wanted, hint) => {
    expect(() => planSettings(offers, wanted)).toThrow(expect.objectContaining({ code: 'USAGE', hint }))
  })

  it('follow what the agent says', () => {
    expect(updateOffers(offers, { sessionUpdate: 'current_mode_update', currentModeId: 'plan' }).current_mode).toBe(
      'plan',
    )
    expect(updateOffers(offers, { sessionUpdate: 'config_option_update', configOptions: [] }).options).toEqual([])
    expect(updateOffers(offers, { sessionUpdate: 'notice' })).toBe(offers)
    expect(readOffers(null)).toEqual({ current_mode: null, modes: [], options: [] })
  })
})
