import { collect, planned } from './requirement.ts';

export const sessionDecisionRequirements = collect(
  planned('SR-D1', 'SR-D2', 'SR-D3', 'SR-D4', 'SR-D5', 'SR-D6', 'SR-D7', 'SR-D8', 'SR-D9', 'SR-D10', 'SR-D11'),
  planned('SR-D12', 'SR-D13', 'SR-D14', 'SR-D15', 'SR-D16', 'SR-D17', 'SR-D18', 'SR-D19', 'SR-D20', 'SR-D21'),
  planned('SR-D22', 'SR-D23', 'SR-D24', 'SR-D25', 'SR-D26', 'SR-D27', 'SR-D28', 'SR-D29', 'SR-D30', 'SR-D31'),
  planned('SR-D32', 'SR-D33', 'SR-D34', 'SR-D35', 'SR-D36', 'SR-D37', 'SR-D38', 'SR-D39', 'SR-D40', 'SR-D41'),
  planned('SR-D42', 'SR-D43', 'SR-D44', 'SR-D45', 'SR-D46', 'SR-D47', 'SR-D48', 'SR-D49', 'SR-D50', 'SR-D51'),
  planned('SR-D52'),
);
