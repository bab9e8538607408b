import { collect, planned } from './requirement.ts';

export const contextRequirements = collect(
  planned('CX-1.1', 'CX-1.2', 'CX-1.3', 'CX-1.4', 'CX-1.5', 'CX-1.6', 'CX-1.7', 'CX-1.8', 'CX-1.9', 'CX-1.10'),
  planned('CX-1.11', 'CX-1.12'),
  planned('CX-2.1', 'CX-2.2', 'CX-2.3', 'CX-2.4', 'CX-2.5', 'CX-2.6', 'CX-2.7', 'CX-2.8', 'CX-2.9', 'CX-2.10'),
  planned('CX-2.11', 'CX-2.12', 'CX-2.13', 'CX-2.14', 'CX-2.15', 'CX-2.16'),
  planned('CX-3.1', 'CX-3.2', 'CX-3.3'),
  planned('CX-4.1', 'CX-4.2', 'CX-4.3', 'CX-4.4', 'CX-4.5', 'CX-4.6', 'CX-4.7', 'CX-4.8', 'CX-4.9', 'CX-4.10'),
  planned('CX-4.11', 'CX-4.12', 'CX-4.13', 'CX-4.14', 'CX-4.15', 'CX-4.16', 'CX-4.17', 'CX-4.18', 'CX-4.19'),
  planned('CX-4.20', 'CX-4.21', 'CX-4.22', 'CX-4.23'),
  planned('CX-5.1', 'CX-5.2', 'CX-5.3', 'CX-5.4', 'CX-5.5', 'CX-5.6'),
  planned('CX-6.1', 'CX-6.2', 'CX-6.3', 'CX-6.4', 'CX-6.5', 'CX-6.6', 'CX-6.7', 'CX-6.8', 'CX-6.9'),
  planned('CX-7.1', 'CX-7.2', 'CX-7.3', 'CX-7.4', 'CX-7.5', 'CX-7.6', 'CX-7.7'),
  planned('CX-8.1', 'CX-8.2', 'CX-8.3', 'CX-8.4', 'CX-8.5'),
  planned('CX-9.1', 'CX-9.2', 'CX-9.3'),
);
